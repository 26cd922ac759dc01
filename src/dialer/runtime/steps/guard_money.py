"""The guard's checks of money: holds, charges, and balances that the rows, the engine and the books agree about."""

from typing import Final

from sqlalchemy import Connection

from dialer.domain.calls.plans import Call
from dialer.domain.engine.state import EngineState
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.guard_books import AccountBooks, GuardBooks
from dialer.runtime.steps.guard_checks import broken
from dialer.store.rows.invariants import money_of


class GuardedMoney:
    """The money of the accounts in the books."""

    def __init__(self, books: GuardBooks) -> None:
        self._books: Final = books

    def hold(self, call: Call, amount: int) -> None:
        """Hold an amount for a call, and check that the account can cover it."""
        money = self._books.accounts[call.plan.user_id]
        self._books.spending.add(call.plan.user_id)
        money.held += amount
        if amount.__class__ is not int or amount < 0 or (amount and money.held > money.balance):
            broken(Rule.CREDIT, call, f"{amount} is held, but {money.balance - money.held + amount} was free")

    def charge(self, call: Call, cost: int, hold: int) -> AccountBooks:
        """Charge a leg to the books of its account, and return them."""
        if cost.__class__ is not int or not 0 <= cost <= hold:
            broken(Rule.CREDIT, call, f"{cost} is charged, but {hold} was held")
        user_id = call.plan.user_id
        self._books.spending.add(user_id)
        money = self._books.accounts[user_id]
        money.balance -= cost
        return money

    def check(self, connection: Connection, engine_state: EngineState) -> None:
        """Check that the books, the engine and the rows agree, and that no hold exceeds its balance."""
        rows = money_of(connection, self._books.spending) if self._books.spending else {}
        for user_id in sorted(self._books.spending):
            money, account = self._books.accounts[user_id], engine_state.accounts[user_id]
            booked, free = (money.balance, money.held), money.balance - money.held
            if rows.get(user_id) != booked or (account.balance, account.held) != booked:
                engine = (account.balance, account.held)
                what = (
                    f"balance and hold are {rows.get(user_id)}, the engine has {engine}, the step makes them {booked}"
                )
                raise BrokenInvariantError(Rule.LEDGER, what, user_id=user_id)
            # Calls in progress may still end on an account that was invalid before, once no campaign of its user is
            # running.
            is_wrong = money.held < 0 or free < 0
            if is_wrong and (self._is_running(user_id) or free < min(0, money.free_before)):
                what = f"{money.held} is held of a balance of {money.balance}"
                raise BrokenInvariantError(Rule.CREDIT, what, user_id=user_id)
            money.free_before = free

    def _is_running(self, user_id: int) -> bool:
        """Return whether a user has a campaign in START, or had one that has stopped in this step."""
        stopped = self._books.stopped
        return any(
            campaign.plan.user_id == user_id and (campaign.status is CampaignStatus.START or campaign_id in stopped)
            for campaign_id, campaign in self._books.campaigns.items()
        )
