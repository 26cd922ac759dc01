"""FastAPI application with asynchronous SQLAlchemy and pydantic: `uvicorn benchmarks.peers.fastapi_app:app`."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Annotated, Any, Final

from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from fastapi.security import HTTPBasic, HTTPBasicCredentials
from pydantic import AfterValidator, BaseModel
from sqlalchemy import ColumnElement, ForeignKey, String, Text, event, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

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

engine: Final = create_async_engine(f"sqlite+aiosqlite:///{DATABASE}")
sessions: Final = async_sessionmaker(engine, expire_on_commit=False)
verified: Final = Verified()
writing: Final = asyncio.Lock()
"""Lock for writers. In SQLite's own queue they would sleep."""
app: Final = FastAPI()


@event.listens_for(engine.sync_engine, "connect")
def configure(connection: sqlite3.Connection, _record: object) -> None:
    """Set the pragmas of a new connection."""
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


class Base(DeclarativeBase):
    """Base of the tables."""


class User(Base):
    """Account of a user."""

    __tablename__ = "user_account"

    id: Mapped[int] = mapped_column(primary_key=True)
    username: Mapped[str] = mapped_column(String(150))
    password_hash: Mapped[str] = mapped_column(String(255))


class Phonebook(Base):
    """Named list of contacts."""

    __tablename__ = "phonebook"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey(User.id))


class Contact(Base):
    """Contact to call."""

    __tablename__ = "contact"

    id: Mapped[int] = mapped_column(primary_key=True)
    phonebook_id: Mapped[int] = mapped_column(ForeignKey(Phonebook.id))
    user_id: Mapped[int] = mapped_column(ForeignKey(User.id))
    contact: Mapped[str] = mapped_column(String(64))
    number: Mapped[str] = mapped_column(String(16))
    zone: Mapped[str] = mapped_column(String(255))
    full_name: Mapped[str] = mapped_column(String(255))
    additional_vars: Mapped[str] = mapped_column(Text)
    tz_code: Mapped[str] = mapped_column(String(255))
    created_date: Mapped[int]
    updated_date: Mapped[int]


class ContactWrite(BaseModel):
    """Contact in a request."""

    contact: str
    phonebook: int
    full_name: str = ""
    additional_vars: Annotated[str, AfterValidator(checked_json)] = "{}"
    tz_code: str = ""


class ContactRead(BaseModel):
    """Contact in a response."""

    id: int
    url: str
    phonebook: str
    contact: str
    full_name: str
    additional_vars: str
    tz_code: str
    created_date: datetime
    updated_date: datetime


class Page(BaseModel):
    """Page of contacts."""

    count: int
    next: str | None
    previous: str | None
    results: list[ContactRead]


async def open_session() -> AsyncIterator[AsyncSession]:
    """Yield a session for one request."""
    async with sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(open_session)]


async def authenticate(credentials: Annotated[HTTPBasicCredentials, Depends(HTTPBasic())], session: Session) -> int:
    """Return the id of the user."""
    username, password = credentials.username, credentials.password
    user_id = verified.recall(username, password)
    if user_id is not None:
        return user_id
    user = await session.scalar(select(User).where(User.username == username))
    if user is None or not verified.verify(username, password, user.id, user.password_hash):
        raise HTTPException(401, "Invalid username/password.", {"WWW-Authenticate": "Basic"})
    return user.id


UserId = Annotated[int, Depends(authenticate)]


@app.get("/rest-api/contact/")
async def list_contacts(
    request: Request,
    user_id: UserId,
    session: Session,
    phonebook_id: int,
    page: Annotated[int, Query(ge=1)] = 1,
    page_size: Annotated[int, Query(ge=1, le=PAGE_SIZE_MAX)] = PAGE_SIZE,
) -> Page:
    """Return a page by its number."""
    mine = (Contact.phonebook_id == phonebook_id, Contact.phonebook_id.in_(_owned_by(user_id)))
    count = await session.scalar(select(func.count()).select_from(Contact).where(*mine)) or 0
    query = select(Contact).where(*mine).order_by(Contact.id).limit(page_size).offset((page - 1) * page_size)
    contacts = await session.scalars(query)
    base = f"{request.base_url}rest-api/"
    link = f"{base}contact/?phonebook_id={phonebook_id}&page="
    return Page(
        count=count,
        next=f"{link}{page + 1}" if page * page_size < count else None,
        previous=f"{link}{page - 1}" if page > 1 else None,
        results=[_shown(contact, base) for contact in contacts],
    )


@app.post("/rest-api/contact/", status_code=201)
async def create_contact(
    request: Request, response: Response, user_id: UserId, session: Session, data: ContactWrite
) -> ContactRead:
    """Create a contact, and answer once it is on disk."""
    try:
        number, zone = number_and_zone(data.contact)
    except ValueError as error:
        raise HTTPException(400, {"contact": [str(error)]}) from None
    is_mine: tuple[ColumnElement[bool], ...] = (Phonebook.id == data.phonebook, Phonebook.user_id == user_id)
    if await session.scalar(select(Phonebook.id).where(*is_mine)) is None:
        raise HTTPException(400, {"phonebook": ["No such phonebook."]})
    now = now_ms()
    contact = Contact(
        phonebook_id=data.phonebook,
        user_id=user_id,
        contact=data.contact,
        number=number,
        zone=zone,
        full_name=data.full_name,
        additional_vars=data.additional_vars,
        tz_code=data.tz_code,
        created_date=now,
        updated_date=now,
    )
    async with writing:
        session.add(contact)
        await session.commit()
    shown = _shown(contact, f"{request.base_url}rest-api/")
    response.headers["Location"] = shown.url
    return shown


def _owned_by(user_id: int) -> Any:  # noqa: ANN401 - a subquery of ids
    return select(Phonebook.id).where(Phonebook.user_id == user_id)


def _shown(contact: Contact, base: str) -> ContactRead:
    return ContactRead(
        id=contact.id,
        url=f"{base}contact/{contact.id}/",
        phonebook=f"{base}phonebook/{contact.phonebook_id}/",
        contact=contact.contact,
        full_name=contact.full_name,
        additional_vars=contact.additional_vars,
        tz_code=contact.tz_code,
        created_date=moment(contact.created_date),
        updated_date=moment(contact.updated_date),
    )
