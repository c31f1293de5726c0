"""TLS against a real server. The certificates are of the tests alone, valid until 2120."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from contextlib import suppress

import pytest

from scheduler_core.api.config import Extender, ExtenderTLS
from scheduler_core.extenders.calls import ExtenderReply
from scheduler_core.extenders.http.trust import TrustError, tls_context
from tests.patience import PATIENCE
from tests.scheduler_core.extenders.http.raw_server import CERTIFICATES, asked, respond, serving

AUTHORITY = str(CERTIFICATES / "authority.pem")
ANSWER = ExtenderReply(200, b"{}")


def of_file(name):
    return base64.b64encode((CERTIFICATES / name).read_bytes()).decode()


@pytest.fixture
def context():
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(CERTIFICATES / "server.pem", CERTIFICATES / "server.key")
    return made


@pytest.mark.parametrize(
    "settings",
    [
        {"tls": ExtenderTLS(ca_file=AUTHORITY)},
        {"tls": ExtenderTLS(ca_data=of_file("authority.pem"))},
        {"tls": ExtenderTLS(ca_file=AUTHORITY), "enable_https": True},
        {"tls": ExtenderTLS(ca_file="/none", ca_data=of_file("authority.pem"))},
        {"tls": ExtenderTLS(insecure=True)},
        {"enable_https": True},
        {"tls": ExtenderTLS(ca_file=AUTHORITY, server_name="extender.example")},
    ],
)
def test_a_server_is_trusted_by_its_authority_or_without_a_check(context, settings):
    with serving(respond(), context) as server:
        assert asked(server.url("/filter"), **settings) == ANSWER


@pytest.mark.parametrize(
    ("tls", "reason"),
    [
        (None, "certificate signed by unknown authority"),
        (
            ExtenderTLS(ca_file=AUTHORITY, server_name="other.example"),
            "hostname mismatch, certificate is not valid for 'other.example'",
        ),
    ],
)
def test_a_server_that_is_not_trusted_is_told(context, tls, reason):
    with serving(respond(), context) as server:
        url = server.url("/filter")
        reply = asked(url, tls=tls)
    assert reply == ExtenderReply(fault=f'Post "{url}": tls: failed to verify certificate: x509: {reason}')


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_client_shows_its_certificate_and_a_connection_is_kept(context, version):
    context.maximum_version = version
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(AUTHORITY)
    files = {"cert_file": str(CERTIFICATES / "client.pem"), "key_file": str(CERTIFICATES / "client.key")}
    data = {"cert_data": of_file("client.pem"), "key_data": of_file("client.key")}
    with serving(respond(), context) as server:
        for client in (files, data):
            assert asked(server.url("/filter"), tls=ExtenderTLS(ca_file=AUTHORITY, **client)) == ANSWER
        assert asked(server.url("/filter"), tls=ExtenderTLS(ca_file=AUTHORITY)).status == 0


def test_a_server_without_tls_is_told():
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            connection, _ = listener.accept()
            with suppress(OSError), connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                while connection.recv(1 << 16):
                    pass

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/filter"
        text = f'Post "{url}": tls: first record does not look like a TLS handshake'
        assert asked(url, enable_https=True) == ExtenderReply(fault=text)
        thread.join(PATIENCE)


@pytest.mark.parametrize(
    ("extender", "text"),
    [
        (Extender(tls=ExtenderTLS(ca_data="?")), "tlsConfig.caData: is no base64: "),
        (Extender(tls=ExtenderTLS(ca_data="eHh4")), "tlsConfig: caFile or caData holds no certificate in PEM form"),
        (Extender(tls=ExtenderTLS(cert_file="/none")), "tlsConfig.certFile: /none cannot be read: No such file"),
        (
            Extender(tls=ExtenderTLS(cert_data=of_file("client.pem"), key_data=of_file("server.key"))),
            "tlsConfig: certificate and key do not belong together",
        ),
        (
            Extender(tls=ExtenderTLS(ca_file=AUTHORITY, insecure=True)),
            "tlsConfig.insecure: specifying a root certificates file with the insecure flag is not allowed",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_refused(extender, text):
    with pytest.raises(TrustError) as error:
        tls_context(extender)
    assert str(error.value).startswith(text)


@pytest.mark.parametrize("half", [{"cert_data": of_file("client.pem")}, {"key_data": of_file("client.key")}])
def test_half_of_a_client_s_certificate_is_none(context, half):
    with serving(respond(), context) as server:
        assert asked(server.url("/filter"), tls=ExtenderTLS(insecure=True, **half)) == ANSWER
