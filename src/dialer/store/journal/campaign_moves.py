"""The rows of what the engine decides about whole campaigns, and of wishes not to be called."""

from sqlalchemy import Connection, update

from dialer.domain.calls import campaign_effects, effects
from dialer.domain.words.states import CAMPAIGN_MOVES
from dialer.store.rows.invariants import wrong_move
from dialer.store.rows.texts.received_texts import keep_answer
from dialer.store.rows.wishes import call_off, held_list, own_list, service_list, simulated_list
from dialer.store.tables import Campaign


def move_campaign(connection: Connection, effect: campaign_effects.MoveCampaign, now_ms: int) -> None:
    """Write a status of a campaign that the engine has changed.

    Raises:
        BrokenInvariantError: the campaign cannot move to this status from the one that it has.
    """
    sources = [status for status, moves in CAMPAIGN_MOVES.items() if effect.status in moves]
    moved = connection.execute(
        update(Campaign)
        .where(Campaign.id == effect.campaign_id, Campaign.status.in_(sources))
        .values(status=effect.status, status_reason=effect.reason, updated_date=now_ms)
    )
    if not moved.rowcount:
        raise wrong_move(connection, effect.campaign_id, effect.status)


def keep_wish(connection: Connection, wish: effects.KeepWish, now_ms: int) -> None:
    """Put a number on the do-not-call lists that keep the wish."""
    user_id = wish.user_id
    if wish.answered_campaign_id is not None:
        keep_answer(connection, wish, now_ms)
    if user_id is None:
        member = service_list(connection, now_ms)
    elif wish.is_simulated:
        member = simulated_list(connection, user_id, now_ms)
    else:
        member = (held_list if wish.is_held else own_list)(connection, user_id, now_ms)
    call_off(connection, (wish.dnc_id, member), wish.number, wish.proof, now_ms)
