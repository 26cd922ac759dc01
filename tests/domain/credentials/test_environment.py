"""Tests of the environment of programs that the service starts."""

from dialer.domain.credentials.environment import clean_environment

ENVIRON = {
    "PATH": "/bin",
    "LANG": "C",
    "DIALER_ADMIN_PASSWORD": "p",
    "DIALER_SECRETS_KEY": "k",
    "DIALER_DATABASE_URL": "postgresql://a:b@c/d",
    "PGPASSWORD": "p",
}


def test_no_secret_of_the_service_reaches_other_programs() -> None:
    assert clean_environment(ENVIRON) == {"PATH": "/bin", "LANG": "C"}
    assert clean_environment(ENVIRON, uses_database=True) == {"PATH": "/bin", "LANG": "C", "PGPASSWORD": "p"}
