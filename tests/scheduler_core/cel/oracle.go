// Evaluates expressions with cel-go v0.26.0, as Kubernetes 1.34 sets it up: each line of the input is an expression as a
// JSON text, each line of the output its value, error or compile error. cel_go.jsonl was made with it, from expressions
// by hand, patterns, and expressions(7, 400) of generated.py; values are written as canonical.py writes ours.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"sort"
	"strconv"
	"strings"
)

func canon(v ref.Val) string {
	switch x := v.(type) {
	case types.Int:
		return strconv.FormatInt(int64(x), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(x), 10) + "u"
	case types.Double:
		return "double " + strconv.FormatFloat(float64(x), 'g', -1, 64)
	case types.Bool:
		return strconv.FormatBool(bool(x))
	case types.String:
		return strconv.QuoteToASCII(string(x))
	case types.Bytes:
		return fmt.Sprintf("bytes %x", []byte(x))
	case types.Null:
		return "null"
	case types.Duration:
		return fmt.Sprintf("duration %d", x.Duration.Nanoseconds())
	case types.Timestamp:
		return fmt.Sprintf("timestamp %d.%09d", x.Time.Unix(), x.Time.Nanosecond())
	case *types.Optional:
		if !x.HasValue() {
			return "none"
		}
		return "some " + canon(x.GetValue())
	case *types.Type:
		return "type " + x.TypeName()
	case traits.Mapper:
		var parts []string
		it := x.Iterator()
		for it.HasNext() == types.True {
			k := it.Next()
			val := x.Get(k)
			parts = append(parts, canon(k)+": "+canon(val))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, ", ") + "}"
	case traits.Lister:
		var parts []string
		n := int64(x.Size().(types.Int))
		for i := int64(0); i < n; i++ {
			parts = append(parts, canon(x.Get(types.Int(i))))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return fmt.Sprintf("?%T %v", v, v.Value())
}

func main() {
	env, err := cel.NewEnv(
		cel.HomogeneousAggregateLiterals(),
		cel.EagerlyValidateDeclarations(true),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals(), cel.ValidateHomogeneousAggregateLiterals()),
		cel.Function("find", cel.MemberOverload("f1", []*cel.Type{cel.StringType, cel.StringType}, cel.StringType, cel.BinaryBinding(func(a, b ref.Val) ref.Val {
			re, err := regexp.Compile(string(b.(types.String)))
			if err != nil {
				return types.NewErr("Illegal regex: %v", err.Error())
			}
			return types.String(re.FindString(string(a.(types.String))))
		}))),
		cel.Function("findAll", cel.MemberOverload("f2", []*cel.Type{cel.StringType, cel.StringType, cel.IntType}, cel.ListType(cel.StringType), cel.FunctionBinding(func(args ...ref.Val) ref.Val {
			re, err := regexp.Compile(string(args[1].(types.String)))
			if err != nil {
				return types.NewErr("Illegal regex: %v", err.Error())
			}
			return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(string(args[0].(types.String)), int(args[2].(types.Int))))
		}))),
		ext.Strings(ext.StringsVersion(2)), ext.Sets(), ext.TwoVarComprehensions(), ext.Bindings(ext.BindingsVersion(0)),
	)
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var expr string
		if err := json.Unmarshal(in.Bytes(), &expr); err != nil {
			panic(err)
		}
		out.Encode(run(env, expr))
	}
}

type result struct {
	Expr    string `json:"expr"`
	Type    string `json:"type,omitempty"`
	Value   string `json:"value,omitempty"`
	Error   string `json:"error,omitempty"`
	Compile string `json:"compile,omitempty"`
	Cost    uint64 `json:"cost,omitempty"`
}

func run(env *cel.Env, expr string) result {
	ast, iss := env.Compile(expr)
	if iss != nil && iss.Err() != nil {
		return result{Expr: expr, Compile: iss.Err().Error()}
	}
	prg, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostLimit(1000000))
	if err != nil {
		return result{Expr: expr, Compile: "program: " + err.Error()}
	}
	v, d, err := prg.Eval(map[string]any{})
	if err != nil {
		return result{Expr: expr, Type: ast.OutputType().String(), Error: err.Error()}
	}
	r := result{Expr: expr, Type: v.Type().TypeName(), Value: canon(v)}
	if d != nil && d.ActualCost() != nil {
		r.Cost = *d.ActualCost()
	}
	return r
}
