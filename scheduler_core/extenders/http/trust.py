"""An extender's TLS settings as an SSL context, as client-go makes one of them (makeTransport, TLSConfigFor)."""

from __future__ import annotations

import base64
import binascii
import ssl
import tempfile
from pathlib import Path

from scheduler_core.api.config import Extender, ExtenderTLS


class TrustError(ValueError):
    """The settings cannot be used. The text names the field."""


def tls_context(extender: Extender) -> ssl.SSLContext:
    """The context for https addresses. Raises TrustError.

    With enableHTTPS and no certificate authority the server's certificate is not checked, as in kube-scheduler.
    """
    tls = extender.tls or ExtenderTLS()
    authority = _content("caFile", tls.ca_file, "caData", tls.ca_data)
    insecure = tls.insecure or (extender.enable_https and not authority)
    if authority and insecure:
        raise TrustError(
            "tlsConfig.insecure: specifying a root certificates file with the insecure flag is not allowed"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif authority:
        _load_authority(context, authority)
    else:
        context.load_default_certs()
    certificate = _content("certFile", tls.cert_file, "certData", tls.cert_data)
    key = _content("keyFile", tls.key_file, "keyData", tls.key_data)
    if certificate and key:
        _load_certificate(context, certificate, key)
    return context


def _content(file_field: str, file: str, data_field: str, data: str) -> bytes:
    """The PEM text of the one or the other; data takes precedence."""
    if data:
        try:
            return base64.b64decode(data, validate=True)
        except binascii.Error as error:
            raise TrustError(f"tlsConfig.{data_field}: is no base64: {error}") from error
    if not file:
        return b""
    try:
        return Path(file).read_bytes()
    except OSError as problem:
        raise TrustError(f"tlsConfig.{file_field}: {file} cannot be read: {problem.strerror or problem}") from problem


def _load_authority(context: ssl.SSLContext, authority: bytes) -> None:
    try:
        context.load_verify_locations(cadata=authority.decode("ascii"))
    except (ssl.SSLError, UnicodeDecodeError) as error:
        raise TrustError("tlsConfig: caFile or caData holds no certificate in PEM form") from error


def _load_certificate(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        certificate_file, key_file = Path(folder, "certificate"), Path(folder, "key")
        for path, content in ((certificate_file, certificate), (key_file, key)):
            path.touch(mode=0o600)
            path.write_bytes(content)
        try:
            # An encrypted key would be asked for on the terminal.
            context.load_cert_chain(certificate_file, key_file, password=lambda: "")
        except (ssl.SSLError, ValueError) as error:
            raise TrustError("tlsConfig: certificate and key do not belong together, or are not in PEM form") from error
