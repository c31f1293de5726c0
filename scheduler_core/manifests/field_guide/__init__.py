"""What each field of an object is: names by place, sorts of values, choices and a sentence, for editors of YAML."""
