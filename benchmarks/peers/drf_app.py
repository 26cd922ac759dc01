"""Django REST Framework application: `gunicorn benchmarks.peers.drf_app:application`."""

from typing import Any, Final

from django.conf import settings

from benchmarks.peers.common import (
    DATABASE,
    PAGE_SIZE,
    PAGE_SIZE_MAX,
    PRAGMAS,
    Verified,
    checked_json,
    moment,
    now_ms,
    number_and_zone,
)

settings.configure(
    ALLOWED_HOSTS=["*"],
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATABASE,
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                "init_command": "; ".join(f"PRAGMA {pragma}" for pragma in PRAGMAS),
                "transaction_mode": "IMMEDIATE",
            },
        }
    },
    INSTALLED_APPS=["rest_framework"],
    MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
    REST_FRAMEWORK={
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
        "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
        "UNAUTHENTICATED_USER": None,
    },
    ROOT_URLCONF=__name__,
    USE_TZ=True,
)

# Django must be configured before these imports.
from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()

from django.db import models  # noqa: E402
from django.urls import include, path  # noqa: E402
from rest_framework import mixins, serializers, viewsets  # noqa: E402
from rest_framework.authentication import BasicAuthentication  # noqa: E402
from rest_framework.exceptions import AuthenticationFailed  # noqa: E402
from rest_framework.pagination import PageNumberPagination  # noqa: E402
from rest_framework.permissions import BasePermission  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.routers import SimpleRouter  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

verified: Final = Verified()


class Account(models.Model):
    """Account of a user."""

    username = models.CharField(max_length=150)
    password_hash = models.CharField(max_length=255)

    class Meta:
        app_label = "peer"
        db_table = "user_account"
        managed = False

    def __str__(self) -> str:
        return self.username


class Phonebook(models.Model):
    """Named list of contacts."""

    user = models.ForeignKey(Account, models.CASCADE)
    name = models.CharField(max_length=255)

    class Meta:
        app_label = "peer"
        db_table = "phonebook"
        managed = False

    def __str__(self) -> str:
        return self.name


class Contact(models.Model):
    """Contact to call."""

    phonebook = models.ForeignKey(Phonebook, models.CASCADE)
    user_id = models.BigIntegerField()
    contact = models.CharField(max_length=64)
    number = models.CharField(max_length=16)
    zone = models.CharField(max_length=255)
    full_name = models.CharField(max_length=255, blank=True, default="")
    additional_vars = models.TextField(blank=True, default="{}")
    tz_code = models.CharField(max_length=255, blank=True, default="")
    created_date = models.BigIntegerField()
    updated_date = models.BigIntegerField()

    class Meta:
        app_label = "peer"
        db_table = "contact"
        managed = False

    def __str__(self) -> str:
        return self.contact


class CachedBasic(BasicAuthentication):
    """HTTP Basic authentication with cached credentials."""

    def authenticate_credentials(
        self,
        userid: str,
        password: str,
        request: Request | None = None,  # noqa: ARG002 - the framework's signature
    ) -> tuple[int, None]:
        """Return the id of the user."""
        user_id = verified.recall(userid, password)
        if user_id is not None:
            return user_id, None
        account = Account.objects.filter(username=userid).first()
        if account is None or not verified.verify(userid, password, account.id, account.password_hash):
            raise AuthenticationFailed
        return account.id, None


class IsKnown(BasePermission):
    """Permission for authenticated users."""

    def has_permission(self, request: Request, view: APIView) -> bool:  # noqa: ARG002 - the framework's signature
        """Return whether the request has a user."""
        return request.user is not None


class Milliseconds(serializers.Field):
    """Field of milliseconds since the epoch."""

    def to_representation(self, value: int) -> str:
        """Return the time in ISO 8601."""
        return moment(value).isoformat().replace("+00:00", "Z")


class ContactSerializer(serializers.HyperlinkedModelSerializer):
    """Contact in a response."""

    created_date = Milliseconds()
    updated_date = Milliseconds()

    class Meta:
        model = Contact
        fields = (
            "id",
            "url",
            "phonebook",
            "contact",
            "full_name",
            "additional_vars",
            "tz_code",
            "created_date",
            "updated_date",
        )


class NewContactSerializer(serializers.ModelSerializer):
    """Contact in a request."""

    class Meta:
        model = Contact
        fields = ("contact", "phonebook", "full_name", "additional_vars", "tz_code")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields, with the caller's phonebooks as the only choices."""
        fields: dict[str, Any] = super().get_fields()
        fields["phonebook"].queryset = Phonebook.objects.filter(user_id=self.context["request"].user)
        return fields

    def validate_additional_vars(self, value: str) -> str:
        """Check that the value is JSON."""
        try:
            return checked_json(value)
        except ValueError as error:
            raise serializers.ValidationError(str(error)) from None

    def create(self, validated_data: dict[str, Any]) -> Contact:
        """Create the row."""
        try:
            number, zone = number_and_zone(validated_data["contact"])
        except ValueError as error:
            raise serializers.ValidationError({"contact": [str(error)]}) from None
        now = now_ms()
        made = {"number": number, "zone": zone, "created_date": now, "updated_date": now}
        return Contact.objects.create(user_id=validated_data["phonebook"].user_id, **made, **validated_data)

    def to_representation(self, instance: Contact) -> Any:  # noqa: ANN401 - the framework's signature
        """Return the contact as a response shows it."""
        return ContactSerializer(instance, context=self.context).data


class Pages(PageNumberPagination):
    """Pagination by page number, with an exact count."""

    page_size = PAGE_SIZE
    page_size_query_param = "page_size"
    max_page_size = PAGE_SIZE_MAX


class ContactViewSet(
    mixins.CreateModelMixin, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet
):
    """Contacts of the caller."""

    authentication_classes = (CachedBasic,)
    permission_classes = (IsKnown,)
    pagination_class = Pages

    def get_queryset(self) -> Any:  # noqa: ANN401 - a query set
        """Return the caller's contacts, filtered by phonebook if one is named."""
        found = Contact.objects.filter(phonebook__in=Phonebook.objects.filter(user_id=self.request.user))
        phonebook_id = self.request.query_params.get("phonebook_id")
        return (found.filter(phonebook_id=phonebook_id) if phonebook_id else found).order_by("id")

    def get_serializer_class(self) -> type[serializers.ModelSerializer]:
        """Return the serializer for writing or for reading."""
        return NewContactSerializer if self.action == "create" else ContactSerializer


class PhonebookViewSet(mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Phonebooks, registered so that contacts can refer to them by URL."""

    queryset = Phonebook.objects.none()


router: Final = SimpleRouter()
router.register("contact", ContactViewSet, "contact")
router.register("phonebook", PhonebookViewSet, "phonebook")
urlpatterns = [path("rest-api/", include(router.urls))]
