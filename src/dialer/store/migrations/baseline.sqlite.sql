CREATE TABLE user_account (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	username VARCHAR(150) NOT NULL,
	username_key TEXT DEFAULT '' NOT NULL,
	password_hash VARCHAR(255) NOT NULL,
	role VARCHAR(8) DEFAULT 'manager' NOT NULL,
	enabled BOOLEAN DEFAULT '1' NOT NULL,
	manager_id INTEGER,
	first_name VARCHAR(255) NOT NULL,
	last_name VARCHAR(255) NOT NULL,
	email VARCHAR(255) NOT NULL,
	call_rate INTEGER NOT NULL,
	sms_rate INTEGER NOT NULL,
	balance INTEGER NOT NULL,
	held INTEGER NOT NULL,
	allowed_countries VARCHAR DEFAULT '' NOT NULL,
	allows_special BOOLEAN DEFAULT '0' NOT NULL,
	recordings BOOLEAN DEFAULT '0' NOT NULL,
	default_region VARCHAR(2) DEFAULT '' NOT NULL,
	currency VARCHAR(3) DEFAULT '' NOT NULL,
	language VARCHAR(8) DEFAULT '' NOT NULL,
	telephone VARCHAR(255) DEFAULT '' NOT NULL,
	keeps_events BOOLEAN DEFAULT '0' NOT NULL,
	low_balance INTEGER DEFAULT '0' NOT NULL,
	rate_card_version INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT uq_user_account_username UNIQUE (username),
	CONSTRAINT fk_user_account_manager_id_user_account FOREIGN KEY(manager_id) REFERENCES user_account (id) ON DELETE RESTRICT
);
CREATE INDEX ix_user_account_currency ON user_account (currency);
CREATE INDEX ix_user_account_manager_id ON user_account (manager_id);
CREATE UNIQUE INDEX uq_user_account_username_key ON user_account (username_key);
CREATE TABLE audit_log (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	created_date INTEGER NOT NULL,
	actor_id INTEGER,
	actor VARCHAR(150) NOT NULL,
	via VARCHAR(16) NOT NULL,
	key_prefix VARCHAR(16) NOT NULL,
	address VARCHAR(45) NOT NULL,
	action VARCHAR(64) NOT NULL,
	resource VARCHAR(40) NOT NULL,
	record_id INTEGER,
	user_id INTEGER,
	"before" TEXT DEFAULT '' NOT NULL,
	"after" TEXT DEFAULT '' NOT NULL,
	previous VARCHAR(64) DEFAULT '' NOT NULL
);
CREATE INDEX ix_audit_log_action ON audit_log (action, id);
CREATE INDEX ix_audit_log_actor ON audit_log (actor, id);
CREATE INDEX ix_audit_log_created_date ON audit_log (created_date);
CREATE INDEX ix_audit_log_record ON audit_log (resource, record_id, id);
CREATE INDEX ix_audit_log_user_id ON audit_log (user_id, id);
CREATE TABLE call_in_progress (
	id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT pk_call_in_progress PRIMARY KEY (id)
);
CREATE TABLE text_news (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	medium VARCHAR(8) DEFAULT 'sms' NOT NULL,
	gateway_id INTEGER NOT NULL,
	"key" VARCHAR(36) DEFAULT '' NOT NULL,
	heard TEXT NOT NULL,
	part_of VARCHAR(200) DEFAULT '' NOT NULL,
	is_text BOOLEAN DEFAULT '0' NOT NULL,
	told_ms INTEGER NOT NULL
);
CREATE INDEX ix_text_news_is_text ON text_news (is_text, id);
CREATE INDEX ix_text_news_part_of ON text_news (part_of) WHERE part_of <> '';
CREATE TABLE set_aside_report (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	identity VARCHAR(36) NOT NULL,
	medium VARCHAR(8) NOT NULL,
	gateway_id INTEGER NOT NULL,
	"key" VARCHAR(36) NOT NULL,
	number VARCHAR(64) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	report TEXT NOT NULL,
	reason TEXT NOT NULL,
	ends_leg BOOLEAN NOT NULL,
	at_ms INTEGER NOT NULL,
	CONSTRAINT uq_set_aside_report_identity UNIQUE (identity)
);
CREATE INDEX ix_set_aside_report_at_ms ON set_aside_report (at_ms);
CREATE INDEX ix_set_aside_report_key ON set_aside_report ("key");
CREATE INDEX ix_set_aside_report_number ON set_aside_report (number);
CREATE TABLE gateway (
	id INTEGER NOT NULL,
	medium VARCHAR(8) DEFAULT 'voice' NOT NULL,
	name VARCHAR(255) NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	addprefix VARCHAR(60) NOT NULL,
	removeprefix VARCHAR(60) NOT NULL,
	protocol VARCHAR(16) NOT NULL,
	allowed_callerids VARCHAR DEFAULT '' NOT NULL,
	max_channels INTEGER DEFAULT '0' NOT NULL,
	max_cps INTEGER DEFAULT '0' NOT NULL,
	parameters VARCHAR NOT NULL,
	failures INTEGER DEFAULT '0' NOT NULL,
	rest_ms INTEGER DEFAULT '0' NOT NULL,
	rests_until_ms INTEGER DEFAULT '0' NOT NULL,
	line_down VARCHAR(255) DEFAULT '' NOT NULL,
	line_since_ms INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT pk_gateway PRIMARY KEY (id, medium)
);
CREATE TABLE gateway_counter (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	medium VARCHAR(8) NOT NULL,
	last_id INTEGER NOT NULL,
	CONSTRAINT uq_gateway_counter_medium UNIQUE (medium)
);
CREATE TABLE callerid_group (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	name VARCHAR(255) NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL
);
CREATE TABLE contact_word (
	user_id INTEGER NOT NULL,
	word TEXT NOT NULL,
	id INTEGER NOT NULL,
	CONSTRAINT pk_contact_word PRIMARY KEY (user_id, word, id)
)
 WITHOUT ROWID;
CREATE TABLE subscriber_move (
	id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	phonebook_id INTEGER NOT NULL,
	was_status SMALLINT,
	was_reason VARCHAR(40),
	was_attempted SMALLINT,
	status SMALLINT,
	status_reason VARCHAR(40),
	attempted SMALLINT,
	subscribers INTEGER DEFAULT '1' NOT NULL,
	CONSTRAINT pk_subscriber_move PRIMARY KEY (id)
);
CREATE TABLE fleet_worker (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	name VARCHAR(255) NOT NULL,
	started_ms INTEGER NOT NULL,
	lease_until_ms INTEGER NOT NULL,
	mark VARCHAR(255) DEFAULT '' NOT NULL
);
CREATE TABLE fleet_change (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	touched TEXT NOT NULL
);
CREATE TABLE cps_returned (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	medium VARCHAR(8) NOT NULL,
	gateway_id INTEGER NOT NULL,
	cps INTEGER NOT NULL,
	until_ms INTEGER NOT NULL
);
CREATE TABLE request_allowance (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	subject VARCHAR(64) NOT NULL,
	restored_us INTEGER NOT NULL
);
CREATE UNIQUE INDEX uq_request_allowance_subject ON request_allowance (subject);
CREATE TABLE wrong_password (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	subject VARCHAR(64) NOT NULL,
	failures INTEGER DEFAULT '0' NOT NULL,
	first_ms INTEGER NOT NULL,
	last_ms INTEGER NOT NULL
);
CREATE INDEX ix_wrong_password_last_ms ON wrong_password (last_ms);
CREATE UNIQUE INDEX uq_wrong_password_subject ON wrong_password (subject);
CREATE TABLE live_leg (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	"key" VARCHAR(36) NOT NULL,
	call_id INTEGER NOT NULL,
	place INTEGER DEFAULT '0' NOT NULL,
	is_leaving BOOLEAN DEFAULT '0' NOT NULL,
	medium VARCHAR(8) NOT NULL,
	gateway_id INTEGER NOT NULL,
	dialling TEXT NOT NULL,
	wanted_ms INTEGER NOT NULL,
	handed_ms INTEGER,
	heard_ms INTEGER,
	standing TEXT NOT NULL,
	handle TEXT DEFAULT '' NOT NULL,
	CONSTRAINT uq_live_leg_key UNIQUE ("key")
);
CREATE TABLE service_state (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	now_ms INTEGER NOT NULL,
	last_callrequest_id INTEGER NOT NULL,
	last_cdr_id INTEGER NOT NULL,
	number_key BLOB,
	leg_key BLOB,
	agent_account VARCHAR(34),
	clock VARCHAR(8),
	timezone VARCHAR(64),
	default_region VARCHAR(2),
	calling_hours VARCHAR(11),
	contact_rules VARCHAR(3) DEFAULT '' NOT NULL,
	media_dir VARCHAR,
	calls_removed_ms INTEGER DEFAULT '0' NOT NULL,
	places_digest VARCHAR(64) DEFAULT '' NOT NULL,
	speech_down VARCHAR(255),
	voices_tried TEXT,
	recordings_id VARCHAR(32),
	recordings_bucket TEXT,
	recordings_marked BOOLEAN DEFAULT '0' NOT NULL
);
CREATE TABLE key_check (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	word VARCHAR NOT NULL
);
CREATE TABLE api_key (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	prefix VARCHAR(16) NOT NULL,
	secret_hash BLOB NOT NULL,
	scopes VARCHAR(64) NOT NULL,
	enabled BOOLEAN DEFAULT '1' NOT NULL,
	expirationdate INTEGER,
	last_used_date INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_api_key_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_api_key_user_id ON api_key (user_id);
CREATE UNIQUE INDEX uq_api_key_secret_hash ON api_key (secret_hash);
CREATE TABLE console_session (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	token_hash BLOB NOT NULL,
	address VARCHAR(45) NOT NULL,
	browser VARCHAR(200) NOT NULL,
	created_date INTEGER NOT NULL,
	used_date INTEGER NOT NULL,
	is_pending BOOLEAN DEFAULT '0' NOT NULL,
	CONSTRAINT fk_console_session_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_console_session_user_id ON console_session (user_id);
CREATE UNIQUE INDEX uq_console_session_token_hash ON console_session (token_hash);
CREATE TABLE second_factor (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	secret VARCHAR,
	last_step INTEGER DEFAULT '0' NOT NULL,
	confirmed_date INTEGER,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_second_factor_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_second_factor_user_id ON second_factor (user_id);
CREATE TABLE recovery_code (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	code_hash BLOB NOT NULL,
	CONSTRAINT fk_recovery_code_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_recovery_code_user_id ON recovery_code (user_id);
CREATE TABLE own_telephone (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	number VARCHAR(255) DEFAULT '' NOT NULL,
	asked_number VARCHAR(255) DEFAULT '' NOT NULL,
	code_hash BLOB NOT NULL,
	code_until_ms INTEGER NOT NULL,
	tries_left INTEGER NOT NULL,
	CONSTRAINT fk_own_telephone_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_own_telephone_user_id ON own_telephone (user_id);
CREATE TABLE rate_card_line (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	prefix VARCHAR(15) NOT NULL,
	rate INTEGER NOT NULL,
	connection_fee INTEGER NOT NULL,
	first_increment INTEGER NOT NULL,
	next_increment INTEGER NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_rate_card_line_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_rate_card_line_user_id_prefix ON rate_card_line (user_id, prefix);
CREATE TABLE payment (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	amount INTEGER NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_payment_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE RESTRICT
);
CREATE INDEX ix_payment_user_id ON payment (user_id);
CREATE TABLE ledger_entry (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	kind VARCHAR(16) NOT NULL,
	amount INTEGER NOT NULL,
	reference VARCHAR(80) NOT NULL,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_ledger_entry_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE RESTRICT
);
CREATE INDEX ix_ledger_entry_created_date ON ledger_entry (created_date, id, user_id);
CREATE INDEX ix_ledger_entry_user_id_id ON ledger_entry (user_id, id);
CREATE UNIQUE INDEX uq_ledger_entry_reference ON ledger_entry (reference, user_id);
CREATE TABLE callerid (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	callerid_group_id INTEGER NOT NULL,
	areacode VARCHAR(32) NOT NULL,
	callerid_num VARCHAR(80) NOT NULL,
	callerid_name VARCHAR(255) NOT NULL,
	user_id INTEGER NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_callerid_callerid_group_id_callerid_group FOREIGN KEY(callerid_group_id) REFERENCES callerid_group (id) ON DELETE CASCADE,
	CONSTRAINT fk_callerid_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_callerid_callerid_group_id ON callerid (callerid_group_id);
CREATE INDEX ix_callerid_user_id ON callerid (user_id);
CREATE TABLE contact_rule (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER,
	"row" VARCHAR(40) DEFAULT '' NOT NULL,
	name VARCHAR(255) NOT NULL,
	source TEXT DEFAULT '' NOT NULL,
	enabled BOOLEAN DEFAULT '1' NOT NULL,
	from_date VARCHAR(10),
	until_date VARCHAR(10),
	country VARCHAR(2) DEFAULT '' NOT NULL,
	state VARCHAR(8) DEFAULT '' NOT NULL,
	purposes TEXT DEFAULT '' NOT NULL,
	media VARCHAR(20) DEFAULT 'call' NOT NULL,
	counts VARCHAR(20) DEFAULT 'attempts' NOT NULL,
	"after" VARCHAR(20) DEFAULT '' NOT NULL,
	seconds INTEGER DEFAULT '1' NOT NULL,
	most INTEGER NOT NULL,
	period INTEGER NOT NULL,
	unit VARCHAR(20) NOT NULL,
	per VARCHAR(100) DEFAULT 'number' NOT NULL,
	scope VARCHAR(10) DEFAULT 'account' NOT NULL,
	switched_by VARCHAR(150) DEFAULT '' NOT NULL,
	switched_date INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_contact_rule_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_contact_rule_user_id ON contact_rule (user_id);
CREATE TABLE phonebook (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_phonebook_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_phonebook_user_id ON phonebook (user_id);
CREATE UNIQUE INDEX uq_phonebook_id_user_id ON phonebook (id, user_id);
CREATE TABLE number_note (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	number VARCHAR(16) NOT NULL,
	text TEXT NOT NULL,
	author_id INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_number_note_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_number_note_author_id_user_account FOREIGN KEY(author_id) REFERENCES user_account (id) ON DELETE SET NULL
);
CREATE INDEX ix_number_note_author_id ON number_note (author_id);
CREATE INDEX ix_number_note_number ON number_note (number);
CREATE UNIQUE INDEX uq_number_note_user_id_number ON number_note (user_id, number);
CREATE TABLE dnc_list (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	is_global BOOLEAN DEFAULT '0' NOT NULL,
	keeps_wishes_of VARCHAR(16) DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_dnc_list_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_dnc_list_is_global ON dnc_list (is_global) WHERE is_global = 1;
CREATE INDEX ix_dnc_list_user_id ON dnc_list (user_id);
CREATE UNIQUE INDEX uq_dnc_list_held ON dnc_list (user_id) WHERE keeps_wishes_of = 'held';
CREATE UNIQUE INDEX uq_dnc_list_id_user_id ON dnc_list (id, user_id);
CREATE UNIQUE INDEX uq_dnc_list_of_service ON dnc_list (keeps_wishes_of) WHERE keeps_wishes_of = 'service';
CREATE UNIQUE INDEX uq_dnc_list_own ON dnc_list (user_id) WHERE keeps_wishes_of = 'account';
CREATE UNIQUE INDEX uq_dnc_list_simulated ON dnc_list (user_id) WHERE keeps_wishes_of = 'simulated';
CREATE TABLE account_event (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	type VARCHAR(40) NOT NULL,
	campaign_id INTEGER,
	subject VARCHAR(64) NOT NULL,
	created_date INTEGER NOT NULL,
	data TEXT DEFAULT '' NOT NULL,
	secret_url VARCHAR,
	CONSTRAINT fk_account_event_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_account_event_created_date ON account_event (created_date);
CREATE INDEX ix_account_event_user_id_id ON account_event (user_id, id);
CREATE TABLE user_hour (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	grouping SMALLINT NOT NULL,
	member VARCHAR(255) NOT NULL,
	hour INTEGER NOT NULL,
	calls INTEGER DEFAULT '0' NOT NULL,
	answered INTEGER DEFAULT '0' NOT NULL,
	live INTEGER DEFAULT '0' NOT NULL,
	completed INTEGER DEFAULT '0' NOT NULL,
	talk_s INTEGER DEFAULT '0' NOT NULL,
	answer_s INTEGER DEFAULT '0' NOT NULL,
	signalled INTEGER DEFAULT '0' NOT NULL,
	post_dial_ms INTEGER DEFAULT '0' NOT NULL,
	for_agents INTEGER DEFAULT '0' NOT NULL,
	abandoned INTEGER DEFAULT '0' NOT NULL,
	legs INTEGER DEFAULT '0' NOT NULL,
	legs_answered INTEGER DEFAULT '0' NOT NULL,
	legs_talk_s INTEGER DEFAULT '0' NOT NULL,
	inbound INTEGER DEFAULT '0' NOT NULL,
	inbound_answered INTEGER DEFAULT '0' NOT NULL,
	inbound_talk_s INTEGER DEFAULT '0' NOT NULL,
	messages INTEGER DEFAULT '0' NOT NULL,
	delivered INTEGER DEFAULT '0' NOT NULL,
	parts INTEGER DEFAULT '0' NOT NULL,
	cost INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_user_hour_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_user_hour_key ON user_hour (user_id, grouping, hour, member);
CREATE TABLE shard (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	worker_id INTEGER,
	done_ms INTEGER,
	CONSTRAINT fk_shard_worker_id_fleet_worker FOREIGN KEY(worker_id) REFERENCES fleet_worker (id) ON DELETE SET NULL
);
CREATE INDEX ix_shard_worker_id ON shard (worker_id);
CREATE TABLE seat (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	worker_id INTEGER,
	turn INTEGER DEFAULT '0' NOT NULL,
	now_ms INTEGER NOT NULL,
	last_callrequest_id INTEGER NOT NULL,
	callrequest_ids_end INTEGER NOT NULL,
	last_cdr_id INTEGER NOT NULL,
	cdr_ids_end INTEGER NOT NULL,
	seen INTEGER DEFAULT '0' NOT NULL,
	wishes INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT uq_seat_worker_id UNIQUE (worker_id),
	CONSTRAINT fk_seat_worker_id_fleet_worker FOREIGN KEY(worker_id) REFERENCES fleet_worker (id) ON DELETE SET NULL
);
CREATE TABLE gateway_slice (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	worker_id INTEGER NOT NULL,
	medium VARCHAR(8) NOT NULL,
	gateway_id INTEGER NOT NULL,
	channels INTEGER DEFAULT '0' NOT NULL,
	channels_in_use INTEGER DEFAULT '0' NOT NULL,
	cps INTEGER DEFAULT '0' NOT NULL,
	cps_in_use INTEGER DEFAULT '0' NOT NULL,
	waiting INTEGER DEFAULT '0' NOT NULL,
	campaigns INTEGER DEFAULT '0' NOT NULL,
	since_ms INTEGER NOT NULL,
	CONSTRAINT fk_gateway_slice_worker_id_fleet_worker FOREIGN KEY(worker_id) REFERENCES fleet_worker (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_gateway_slice_key ON gateway_slice (worker_id, medium, gateway_id);
CREATE TABLE queue (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	strategy SMALLINT NOT NULL,
	moh_sound VARCHAR(255) NOT NULL,
	record VARCHAR(10) DEFAULT 'campaign' NOT NULL,
	record_template VARCHAR(255) NOT NULL,
	time_base_score VARCHAR(16) NOT NULL,
	tier_rules_apply BOOLEAN NOT NULL,
	tier_rule_wait_second INTEGER NOT NULL,
	tier_rule_wait_multiply_level BOOLEAN NOT NULL,
	tier_rule_no_agent_no_wait BOOLEAN NOT NULL,
	discard_abandoned_after INTEGER NOT NULL,
	abandoned_resume_allowed BOOLEAN NOT NULL,
	max_wait_time INTEGER NOT NULL,
	max_wait_time_with_no_agent INTEGER NOT NULL,
	max_wait_time_with_no_agent_time_reached INTEGER NOT NULL,
	break_reasons TEXT DEFAULT '' NOT NULL,
	max_break_time INTEGER DEFAULT '0' NOT NULL,
	missed_calls_max INTEGER DEFAULT '3' NOT NULL,
	outcome_required BOOLEAN DEFAULT '0' NOT NULL,
	longer_wrap_up INTEGER DEFAULT '60' NOT NULL,
	skills TEXT DEFAULT '' NOT NULL,
	skill_field VARCHAR(255) DEFAULT '' NOT NULL,
	last_agent_id INTEGER DEFAULT '0' NOT NULL,
	no_agent_from_ms INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_queue_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_queue_user_id ON queue (user_id);
CREATE TABLE agent (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	login_id INTEGER,
	contact VARCHAR(255) NOT NULL,
	telephone VARCHAR(8) DEFAULT 'contact' NOT NULL,
	status SMALLINT NOT NULL,
	wrap_up_time INTEGER NOT NULL,
	skills TEXT DEFAULT '' NOT NULL,
	parameters VARCHAR NOT NULL,
	figures TEXT DEFAULT '' NOT NULL,
	break_reason VARCHAR(100) DEFAULT '' NOT NULL,
	is_talking BOOLEAN DEFAULT '0' NOT NULL,
	counted_ms INTEGER DEFAULT '0' NOT NULL,
	wraps_until_ms INTEGER DEFAULT '0' NOT NULL,
	began_ms INTEGER DEFAULT '0' NOT NULL,
	hang_up_call_id INTEGER,
	hold_call_id INTEGER,
	supervised_call_id INTEGER,
	supervision_turn INTEGER DEFAULT '0' NOT NULL,
	supervision_mode VARCHAR(8) DEFAULT 'listen' NOT NULL,
	supervision_contact VARCHAR(255) DEFAULT '' NOT NULL,
	supervisor_id INTEGER,
	preview TEXT DEFAULT '' NOT NULL,
	preview_order TEXT DEFAULT '' NOT NULL,
	placed_call_id INTEGER,
	transfer_call_id INTEGER,
	transfer_to VARCHAR(64) DEFAULT '' NOT NULL,
	consulted_call_id INTEGER,
	consultation_turn INTEGER DEFAULT '0' NOT NULL,
	consultation_mode VARCHAR(9) DEFAULT 'third' NOT NULL,
	consultation_to VARCHAR(64) DEFAULT '' NOT NULL,
	desk_watched BOOLEAN DEFAULT '1' NOT NULL,
	desk_seen_ms INTEGER DEFAULT '0' NOT NULL,
	break_cause VARCHAR(16) DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_agent_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_agent_login_id_user_account FOREIGN KEY(login_id) REFERENCES user_account (id) ON DELETE SET NULL,
	CONSTRAINT fk_agent_supervisor_id_user_account FOREIGN KEY(supervisor_id) REFERENCES user_account (id) ON DELETE SET NULL
);
CREATE INDEX ix_agent_consulting ON agent (user_id, consultation_to) WHERE consulted_call_id IS NOT NULL;
CREATE INDEX ix_agent_login_id ON agent (login_id);
CREATE INDEX ix_agent_supervisor_id ON agent (supervisor_id);
CREATE INDEX ix_agent_user_id ON agent (user_id);
CREATE TABLE sms_received (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	gateway_id INTEGER NOT NULL,
	campaign_id INTEGER,
	sms_message_id INTEGER,
	phone_number VARCHAR(64) NOT NULL,
	number VARCHAR(16) NOT NULL,
	said TEXT DEFAULT '' NOT NULL,
	understood VARCHAR(8) NOT NULL,
	needs_person BOOLEAN DEFAULT '0' NOT NULL,
	is_simulated BOOLEAN DEFAULT '0' NOT NULL,
	verdict VARCHAR(16) DEFAULT '' NOT NULL,
	looked_at_ms INTEGER,
	looked_at_by_id INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_sms_received_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_sms_received_created_date ON sms_received (created_date, id);
CREATE INDEX ix_sms_received_last_digits ON sms_received (user_id, substr(number, -4), number);
CREATE INDEX ix_sms_received_needs_person ON sms_received (needs_person, id);
CREATE INDEX ix_sms_received_number ON sms_received (number, id);
CREATE INDEX ix_sms_received_open ON sms_received (user_id, number) WHERE understood = 'perhaps' AND verdict = '';
CREATE INDEX ix_sms_received_user_id_id ON sms_received (user_id, id);
CREATE INDEX ix_sms_received_user_id_needs_person ON sms_received (user_id, needs_person, id);
CREATE TABLE idempotent_response (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	path VARCHAR(255) NOT NULL,
	"key" VARCHAR(255) NOT NULL,
	body_hash BLOB NOT NULL,
	status_code SMALLINT NOT NULL,
	headers VARCHAR NOT NULL,
	content BLOB NOT NULL,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_idempotent_response_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_idempotent_response_created_date ON idempotent_response (created_date);
CREATE UNIQUE INDEX uq_idempotent_response_user_id_path_key ON idempotent_response (user_id, path, "key");
CREATE TABLE audio_file (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	audio_file VARCHAR(255) NOT NULL,
	format VARCHAR(16) NOT NULL,
	size INTEGER NOT NULL,
	duration_ms INTEGER NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_audio_file_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_audio_file_user_id ON audio_file (user_id);
CREATE TABLE survey_template (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	description VARCHAR(16000),
	language VARCHAR(35) DEFAULT '' NOT NULL,
	voice VARCHAR(100) DEFAULT '' NOT NULL,
	voice_speed INTEGER DEFAULT '100000' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_survey_template_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_survey_template_user_id ON survey_template (user_id);
CREATE TABLE webhook (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	target_url VARCHAR(500) NOT NULL,
	types VARCHAR(1000) DEFAULT '' NOT NULL,
	enabled BOOLEAN DEFAULT '1' NOT NULL,
	problem VARCHAR(20) DEFAULT '' NOT NULL,
	secret VARCHAR NOT NULL,
	old_secrets VARCHAR,
	base VARCHAR(300) NOT NULL,
	after_event_id INTEGER DEFAULT '0' NOT NULL,
	failures INTEGER DEFAULT '0' NOT NULL,
	failing_since_ms INTEGER,
	next_attempt_ms INTEGER DEFAULT '0' NOT NULL,
	lease_holder VARCHAR(40) DEFAULT '' NOT NULL,
	lease_until_ms INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_webhook_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_user_id ON webhook (user_id);
CREATE TABLE campaign (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	medium VARCHAR(8) DEFAULT 'voice' NOT NULL,
	campaign_code VARCHAR(20) NOT NULL,
	name VARCHAR(100) NOT NULL,
	description TEXT DEFAULT '' NOT NULL,
	purpose VARCHAR(16) DEFAULT '' NOT NULL,
	sector VARCHAR(16) DEFAULT '' NOT NULL,
	seller VARCHAR(100) DEFAULT '' NOT NULL,
	requires_consent VARCHAR(8) DEFAULT '' NOT NULL,
	callerid VARCHAR(80) NOT NULL,
	callerid_group_id INTEGER,
	startingdate INTEGER NOT NULL,
	expirationdate INTEGER NOT NULL,
	daily_start_time VARCHAR(8) NOT NULL,
	daily_stop_time VARCHAR(8) NOT NULL,
	monday BOOLEAN NOT NULL,
	tuesday BOOLEAN NOT NULL,
	wednesday BOOLEAN NOT NULL,
	thursday BOOLEAN NOT NULL,
	friday BOOLEAN NOT NULL,
	saturday BOOLEAN NOT NULL,
	sunday BOOLEAN NOT NULL,
	frequency INTEGER NOT NULL,
	max_aleg INTEGER DEFAULT '0' NOT NULL,
	max_xfer INTEGER DEFAULT '0' NOT NULL,
	dial_method SMALLINT NOT NULL,
	agent_dial_rate INTEGER NOT NULL,
	preview_seconds INTEGER DEFAULT '60' NOT NULL,
	preview_calls BOOLEAN DEFAULT '0' NOT NULL,
	manual_dialling BOOLEAN DEFAULT '0' NOT NULL,
	callmaxduration INTEGER NOT NULL,
	maxretry INTEGER NOT NULL,
	intervalretry INTEGER NOT NULL,
	carrier_maxretry INTEGER DEFAULT '0' NOT NULL,
	call_back_wait INTEGER DEFAULT '900' NOT NULL,
	completion_maxretry INTEGER NOT NULL,
	completion_intervalretry INTEGER NOT NULL,
	abandoned_maxretry INTEGER DEFAULT '0' NOT NULL,
	abandoned_intervalretry INTEGER DEFAULT '259200' NOT NULL,
	calltimeout INTEGER NOT NULL,
	aleg_gateway_id INTEGER,
	sms_gateway_id INTEGER,
	sms_medium VARCHAR(8) DEFAULT 'sms' NOT NULL,
	text_message VARCHAR(1600) DEFAULT '' NOT NULL,
	object_id INTEGER NOT NULL,
	record VARCHAR(10) DEFAULT 'no' NOT NULL,
	record_days INTEGER DEFAULT '0' NOT NULL,
	record_notice_id INTEGER,
	record_notice_script TEXT DEFAULT '' NOT NULL,
	record_refuse_key VARCHAR(1) DEFAULT '' NOT NULL,
	transcribe BOOLEAN DEFAULT '0' NOT NULL,
	extra_data VARCHAR(120) NOT NULL,
	dispositions TEXT DEFAULT '' NOT NULL,
	agent_script TEXT DEFAULT '' NOT NULL,
	agent_fields TEXT DEFAULT '' NOT NULL,
	crm_url TEXT DEFAULT '' NOT NULL,
	voicemail BOOLEAN NOT NULL,
	amd_behavior SMALLINT NOT NULL,
	amd_sensitivity SMALLINT DEFAULT '2' NOT NULL,
	machine_is_reached BOOLEAN DEFAULT '0' NOT NULL,
	voicemail_audiofile_id INTEGER,
	dnc_id INTEGER,
	status SMALLINT NOT NULL,
	status_reason VARCHAR(40) NOT NULL,
	end_when_done BOOLEAN DEFAULT '1' NOT NULL,
	source_campaign_id INTEGER,
	trial_of_id INTEGER,
	totalcontact INTEGER DEFAULT '0' NOT NULL,
	completed INTEGER DEFAULT '0' NOT NULL,
	calls INTEGER DEFAULT '0' NOT NULL,
	answered INTEGER DEFAULT '0' NOT NULL,
	cost INTEGER NOT NULL,
	next_dial_us INTEGER NOT NULL,
	abandon_rate_max INTEGER DEFAULT '300000' NOT NULL,
	abandon_hours INTEGER DEFAULT '720' NOT NULL,
	abandon_allowance BOOLEAN DEFAULT '0' NOT NULL,
	live_answered INTEGER DEFAULT '0' NOT NULL,
	abandoned INTEGER DEFAULT '0' NOT NULL,
	pacing_figures TEXT DEFAULT '' NOT NULL,
	callerid_turns TEXT DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_campaign_medium_gateway FOREIGN KEY(medium, aleg_gateway_id) REFERENCES gateway (medium, id) ON DELETE RESTRICT,
	CONSTRAINT fk_campaign_sms_medium_gateway FOREIGN KEY(sms_medium, sms_gateway_id) REFERENCES gateway (medium, id) ON DELETE RESTRICT,
	CONSTRAINT ck_campaign_sms_medium CHECK (sms_medium = 'sms'),
	CONSTRAINT fk_campaign_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT uq_campaign_campaign_code UNIQUE (campaign_code),
	CONSTRAINT fk_campaign_callerid_group_id_callerid_group FOREIGN KEY(callerid_group_id) REFERENCES callerid_group (id) ON DELETE RESTRICT,
	CONSTRAINT fk_campaign_record_notice_id_audio_file FOREIGN KEY(record_notice_id) REFERENCES audio_file (id) ON DELETE RESTRICT,
	CONSTRAINT fk_campaign_voicemail_audiofile_id_audio_file FOREIGN KEY(voicemail_audiofile_id) REFERENCES audio_file (id) ON DELETE RESTRICT,
	CONSTRAINT fk_campaign_dnc_id_dnc_list FOREIGN KEY(dnc_id) REFERENCES dnc_list (id) ON DELETE RESTRICT,
	CONSTRAINT fk_campaign_source_campaign_id_campaign FOREIGN KEY(source_campaign_id) REFERENCES campaign (id) ON DELETE SET NULL
);
CREATE INDEX ix_campaign_aleg_gateway_id ON campaign (aleg_gateway_id);
CREATE INDEX ix_campaign_callerid_group_id ON campaign (callerid_group_id);
CREATE INDEX ix_campaign_dnc_id ON campaign (dnc_id);
CREATE INDEX ix_campaign_object_id ON campaign (object_id);
CREATE INDEX ix_campaign_record_notice_id ON campaign (record_notice_id);
CREATE INDEX ix_campaign_sms_gateway_id ON campaign (sms_gateway_id);
CREATE INDEX ix_campaign_source_campaign_id ON campaign (source_campaign_id) WHERE source_campaign_id IS NOT NULL;
CREATE INDEX ix_campaign_status ON campaign (status);
CREATE INDEX ix_campaign_trial_of_id ON campaign (trial_of_id) WHERE trial_of_id IS NOT NULL;
CREATE INDEX ix_campaign_user_id ON campaign (user_id);
CREATE INDEX ix_campaign_voicemail_audiofile_id ON campaign (voicemail_audiofile_id);
CREATE UNIQUE INDEX uq_campaign_id_user_id ON campaign (id, user_id);
CREATE TABLE consent (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	number VARCHAR(16) NOT NULL,
	kind VARCHAR(8) NOT NULL,
	purposes TEXT DEFAULT '' NOT NULL,
	seller VARCHAR(100) DEFAULT '' NOT NULL,
	given_date INTEGER NOT NULL,
	expiration_date INTEGER,
	hours VARCHAR(11) DEFAULT '' NOT NULL,
	hours_date VARCHAR(10),
	how VARCHAR(8) DEFAULT '' NOT NULL,
	evidence TEXT DEFAULT '' NOT NULL,
	evidence_url TEXT DEFAULT '' NOT NULL,
	evidence_sha256 VARCHAR(64) DEFAULT '' NOT NULL,
	audio_file_id INTEGER,
	callrequest_id INTEGER,
	withdrawn_date INTEGER,
	withdrawn_how TEXT DEFAULT '' NOT NULL,
	last_used_date INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_consent_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_consent_audio_file_id_audio_file FOREIGN KEY(audio_file_id) REFERENCES audio_file (id) ON DELETE SET NULL
);
CREATE INDEX ix_consent_audio_file_id ON consent (audio_file_id);
CREATE INDEX ix_consent_created_date ON consent (created_date, id);
CREATE INDEX ix_consent_given_date ON consent (given_date, id);
CREATE INDEX ix_consent_last_digits ON consent (user_id, substr(number, -4), number);
CREATE INDEX ix_consent_number ON consent (number, user_id, id);
CREATE INDEX ix_consent_user_id_id ON consent (user_id, id);
CREATE TABLE contact (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	phonebook_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	contact VARCHAR(64) NOT NULL,
	number VARCHAR(16) NOT NULL,
	zone VARCHAR(255) NOT NULL,
	tz_code VARCHAR(255) DEFAULT '' NOT NULL,
	full_name VARCHAR(255) NOT NULL,
	full_name_key TEXT DEFAULT '' NOT NULL,
	additional_vars TEXT DEFAULT '{}' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_contact_phonebook_id_phonebook FOREIGN KEY(phonebook_id, user_id) REFERENCES phonebook (id, user_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ix_contact_created_date ON contact (created_date, id, phonebook_id);
CREATE INDEX ix_contact_full_name_key ON contact (full_name_key, id, phonebook_id);
CREATE INDEX ix_contact_last_digits ON contact (user_id, substr(number, -4), number);
CREATE INDEX ix_contact_number ON contact (number, id, phonebook_id);
CREATE INDEX ix_contact_phonebook_id_id ON contact (phonebook_id, id);
CREATE INDEX ix_contact_phonebook_id_number ON contact (phonebook_id, number);
CREATE INDEX ix_contact_user_id_id ON contact (user_id, id);
CREATE TABLE contact_name (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	phonebook_id INTEGER NOT NULL,
	name VARCHAR(64) NOT NULL,
	contacts INTEGER DEFAULT '0' NOT NULL,
	filled INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_contact_name_phonebook_id_phonebook FOREIGN KEY(phonebook_id) REFERENCES phonebook (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_contact_name_phonebook_id_name ON contact_name (phonebook_id, name);
CREATE TABLE dnc_contact (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	dnc_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	number VARCHAR(16) NOT NULL,
	source VARCHAR(8) DEFAULT 'api' NOT NULL,
	campaign_id INTEGER,
	callrequest_id INTEGER,
	sms_message_id INTEGER,
	section_id INTEGER,
	said TEXT DEFAULT '' NOT NULL,
	doubt VARCHAR(20) DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_dnc_contact_dnc_id_dnc_list FOREIGN KEY(dnc_id, user_id) REFERENCES dnc_list (id, user_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ix_dnc_contact_campaign_id ON dnc_contact (campaign_id) WHERE campaign_id IS NOT NULL;
CREATE INDEX ix_dnc_contact_created_date ON dnc_contact (created_date, id, dnc_id);
CREATE INDEX ix_dnc_contact_doubt ON dnc_contact (dnc_id, doubt, id) WHERE doubt <> '';
CREATE INDEX ix_dnc_contact_last_digits ON dnc_contact (user_id, substr(number, -4), number);
CREATE INDEX ix_dnc_contact_number ON dnc_contact (number, id, dnc_id);
CREATE UNIQUE INDEX uq_dnc_contact_dnc_id_number ON dnc_contact (dnc_id, number, user_id);
CREATE TABLE agent_hour (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	agent_id INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	activity SMALLINT NOT NULL,
	reason VARCHAR(100) NOT NULL,
	spent_ms INTEGER DEFAULT '0' NOT NULL,
	begun INTEGER DEFAULT '0' NOT NULL,
	missed INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_agent_hour_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_agent_hour_key ON agent_hour (agent_id, hour, activity, reason);
CREATE TABLE agent_period (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	agent_id INTEGER NOT NULL,
	from_ms INTEGER NOT NULL,
	until_ms INTEGER NOT NULL,
	status SMALLINT NOT NULL,
	is_talking BOOLEAN NOT NULL,
	reason VARCHAR(100) NOT NULL,
	wraps_until_ms INTEGER NOT NULL,
	looks_from_ms INTEGER NOT NULL,
	rings_from_ms INTEGER NOT NULL,
	call SMALLINT NOT NULL,
	cause VARCHAR(16) NOT NULL,
	CONSTRAINT fk_agent_period_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE CASCADE
);
CREATE INDEX ix_agent_period_agent_id_from_ms ON agent_period (agent_id, from_ms);
CREATE INDEX ix_agent_period_until_ms ON agent_period (until_ms, id);
CREATE TABLE queue_hour (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	queue_id INTEGER NOT NULL,
	hour INTEGER NOT NULL,
	within_s INTEGER NOT NULL,
	taken INTEGER DEFAULT '0' NOT NULL,
	abandoned INTEGER DEFAULT '0' NOT NULL,
	timed_out INTEGER DEFAULT '0' NOT NULL,
	taken_wait_ms INTEGER DEFAULT '0' NOT NULL,
	longest_ms INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_queue_hour_queue_id_queue FOREIGN KEY(queue_id) REFERENCES queue (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_queue_hour_key ON queue_hour (queue_id, hour, within_s);
CREATE TABLE tier (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	queue_id INTEGER NOT NULL,
	agent_id INTEGER NOT NULL,
	level INTEGER NOT NULL,
	position INTEGER NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_tier_queue_id_queue FOREIGN KEY(queue_id) REFERENCES queue (id) ON DELETE CASCADE,
	CONSTRAINT fk_tier_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE CASCADE
);
CREATE INDEX ix_tier_agent_id ON tier (agent_id);
CREATE UNIQUE INDEX uq_tier_queue_id_agent_id ON tier (queue_id, agent_id);
CREATE TABLE section_template (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	survey_id INTEGER NOT NULL,
	"order" INTEGER NOT NULL,
	type SMALLINT NOT NULL,
	question VARCHAR(500) NOT NULL,
	script VARCHAR(1600) NOT NULL,
	audiofile_id INTEGER,
	invalid_audiofile_id INTEGER,
	retries INTEGER,
	timeout INTEGER NOT NULL,
	key_0 VARCHAR(100),
	key_1 VARCHAR(100),
	key_2 VARCHAR(100),
	key_3 VARCHAR(100),
	key_4 VARCHAR(100),
	key_5 VARCHAR(100),
	key_6 VARCHAR(100),
	key_7 VARCHAR(100),
	key_8 VARCHAR(100),
	key_9 VARCHAR(100),
	rating_laps INTEGER NOT NULL,
	validate_number BOOLEAN NOT NULL,
	number_digits INTEGER NOT NULL,
	min_number INTEGER NOT NULL,
	max_number INTEGER NOT NULL,
	phonenumber VARCHAR(64),
	conference VARCHAR(50),
	sms_text VARCHAR(1600),
	confirm_script VARCHAR(1600),
	confirm_key VARCHAR(1),
	completed BOOLEAN NOT NULL,
	queue_id INTEGER,
	agent_url VARCHAR(500),
	agent_secret VARCHAR,
	agent_parameters VARCHAR(1600),
	disclosure VARCHAR(1600),
	disclosure_audiofile_id INTEGER,
	patience INTEGER NOT NULL,
	on_completed VARCHAR(6),
	record_pause BOOLEAN,
	file_id INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_section_template_survey_id_survey_template FOREIGN KEY(survey_id) REFERENCES survey_template (id) ON DELETE CASCADE,
	CONSTRAINT fk_section_template_audiofile_id_audio_file FOREIGN KEY(audiofile_id) REFERENCES audio_file (id) ON DELETE RESTRICT,
	CONSTRAINT fk_section_template_invalid_audiofile_id_audio_file FOREIGN KEY(invalid_audiofile_id) REFERENCES audio_file (id) ON DELETE RESTRICT,
	CONSTRAINT fk_section_template_queue_id_queue FOREIGN KEY(queue_id) REFERENCES queue (id) ON DELETE RESTRICT,
	CONSTRAINT fk_section_template_disclosure_audiofile_id_audio_file FOREIGN KEY(disclosure_audiofile_id) REFERENCES audio_file (id) ON DELETE RESTRICT
);
CREATE INDEX ix_section_template_audiofile_id ON section_template (audiofile_id);
CREATE INDEX ix_section_template_disclosure_audiofile_id ON section_template (disclosure_audiofile_id);
CREATE INDEX ix_section_template_invalid_audiofile_id ON section_template (invalid_audiofile_id);
CREATE INDEX ix_section_template_queue_id ON section_template (queue_id);
CREATE INDEX ix_section_template_survey_id ON section_template (survey_id);
CREATE TABLE survey_change (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	survey_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	action VARCHAR(32) NOT NULL,
	section VARCHAR(500) NOT NULL,
	state TEXT DEFAULT '' NOT NULL,
	is_undone BOOLEAN NOT NULL,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_survey_change_survey_id_survey_template FOREIGN KEY(survey_id) REFERENCES survey_template (id) ON DELETE CASCADE,
	CONSTRAINT fk_survey_change_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_survey_change_survey_id ON survey_change (survey_id);
CREATE INDEX ix_survey_change_user_id ON survey_change (user_id);
CREATE TABLE webhook_delivery (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	webhook_id INTEGER NOT NULL,
	event_id INTEGER NOT NULL,
	status VARCHAR(10) NOT NULL,
	attempts SMALLINT DEFAULT '0' NOT NULL,
	first_ms INTEGER NOT NULL,
	last_ms INTEGER NOT NULL,
	next_ms INTEGER,
	answer_status SMALLINT,
	duration_ms INTEGER DEFAULT '0' NOT NULL,
	problem VARCHAR(400) DEFAULT '' NOT NULL,
	CONSTRAINT fk_webhook_delivery_webhook_id_webhook FOREIGN KEY(webhook_id) REFERENCES webhook (id) ON DELETE CASCADE,
	CONSTRAINT fk_webhook_delivery_event_id_account_event FOREIGN KEY(event_id) REFERENCES account_event (id) ON DELETE CASCADE
);
CREATE INDEX ix_webhook_delivery_webhook_id_id ON webhook_delivery (webhook_id, id);
CREATE INDEX ix_webhook_delivery_webhook_id_last_ms ON webhook_delivery (webhook_id, last_ms) WHERE next_ms IS NOT NULL;
CREATE INDEX ix_webhook_delivery_webhook_id_next_ms ON webhook_delivery (webhook_id, next_ms) WHERE next_ms IS NOT NULL;
CREATE UNIQUE INDEX uq_webhook_delivery_event_id_webhook_id ON webhook_delivery (event_id, webhook_id);
CREATE TABLE campaign_phonebook (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	phonebook_id INTEGER NOT NULL,
	collected_contact_id INTEGER NOT NULL,
	CONSTRAINT fk_campaign_phonebook_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_campaign_phonebook_phonebook_id_phonebook FOREIGN KEY(phonebook_id) REFERENCES phonebook (id) ON DELETE CASCADE
);
CREATE INDEX ix_campaign_phonebook_phonebook_id ON campaign_phonebook (phonebook_id);
CREATE UNIQUE INDEX uq_campaign_phonebook_campaign_id_phonebook_id ON campaign_phonebook (campaign_id, phonebook_id);
CREATE TABLE example_campaign (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	phonebook_id INTEGER,
	survey_id INTEGER,
	gateway_id INTEGER,
	CONSTRAINT fk_example_campaign_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_example_campaign_phonebook_id_phonebook FOREIGN KEY(phonebook_id) REFERENCES phonebook (id) ON DELETE SET NULL,
	CONSTRAINT fk_example_campaign_survey_id_survey_template FOREIGN KEY(survey_id) REFERENCES survey_template (id) ON DELETE SET NULL
);
CREATE INDEX ix_example_campaign_phonebook_id ON example_campaign (phonebook_id);
CREATE INDEX ix_example_campaign_survey_id ON example_campaign (survey_id);
CREATE UNIQUE INDEX uq_example_campaign_campaign_id ON example_campaign (campaign_id);
CREATE TABLE people_to_copy (
	id INTEGER NOT NULL,
	outcomes TEXT NOT NULL,
	after_number VARCHAR(16) NOT NULL,
	CONSTRAINT pk_people_to_copy PRIMARY KEY (id),
	CONSTRAINT fk_people_to_copy_id_campaign FOREIGN KEY(id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE TABLE campaign_dnc_list (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	dnc_id INTEGER NOT NULL,
	CONSTRAINT fk_campaign_dnc_list_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_campaign_dnc_list_dnc_id_dnc_list FOREIGN KEY(dnc_id) REFERENCES dnc_list (id) ON DELETE RESTRICT
);
CREATE INDEX ix_campaign_dnc_list_dnc_id ON campaign_dnc_list (dnc_id);
CREATE UNIQUE INDEX uq_campaign_dnc_list_campaign_id_dnc_id ON campaign_dnc_list (campaign_id, dnc_id);
CREATE TABLE sealed_survey (
	id INTEGER NOT NULL,
	document VARCHAR NOT NULL,
	agent_secrets VARCHAR,
	CONSTRAINT pk_sealed_survey PRIMARY KEY (id),
	CONSTRAINT fk_sealed_survey_id_campaign FOREIGN KEY(id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE TABLE campaign_forecast (
	id INTEGER NOT NULL,
	document VARCHAR NOT NULL,
	CONSTRAINT pk_campaign_forecast PRIMARY KEY (id),
	CONSTRAINT fk_campaign_forecast_id_campaign FOREIGN KEY(id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE TABLE subscriber (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	contact_id INTEGER,
	phonebook_id INTEGER,
	duplicate_contact VARCHAR(64) NOT NULL,
	number VARCHAR(16) NOT NULL,
	zone VARCHAR(255) NOT NULL,
	full_name VARCHAR(255) NOT NULL,
	gmt_offset VARCHAR(8) NOT NULL,
	tz_code VARCHAR(255) NOT NULL,
	additional_vars TEXT DEFAULT '{}' NOT NULL,
	status SMALLINT NOT NULL,
	status_reason VARCHAR(40) NOT NULL,
	halt_reason VARCHAR(40) NOT NULL,
	count_attempt INTEGER DEFAULT '0' NOT NULL,
	failure_count INTEGER DEFAULT '0' NOT NULL,
	completion_count INTEGER DEFAULT '0' NOT NULL,
	abandoned_count INTEGER DEFAULT '0' NOT NULL,
	skip_count INTEGER DEFAULT '0' NOT NULL,
	last_attempt INTEGER,
	due_ms INTEGER NOT NULL,
	promised_agent_id INTEGER,
	promised_until_ms INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_subscriber_campaign_id_campaign FOREIGN KEY(campaign_id, user_id) REFERENCES campaign (id, user_id) ON DELETE CASCADE ON UPDATE CASCADE,
	CONSTRAINT fk_subscriber_contact_id_contact FOREIGN KEY(contact_id) REFERENCES contact (id) ON DELETE SET NULL
);
CREATE INDEX ix_subscriber_contact_id ON subscriber (contact_id);
CREATE INDEX ix_subscriber_hopper ON subscriber (campaign_id, status, zone, due_ms, id);
CREATE INDEX ix_subscriber_last_attempt ON subscriber (last_attempt, id, campaign_id);
CREATE INDEX ix_subscriber_number ON subscriber (number, id, campaign_id);
CREATE UNIQUE INDEX uq_subscriber_campaign_id_number ON subscriber (campaign_id, number, user_id);
CREATE TABLE did (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	did_number VARCHAR(64) NOT NULL,
	is_assigned BOOLEAN DEFAULT '0' NOT NULL,
	campaign_id INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_did_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_did_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE SET NULL
);
CREATE INDEX ix_did_campaign_id ON did (campaign_id);
CREATE INDEX ix_did_user_id ON did (user_id);
CREATE TABLE contact_wait (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	subscriber_id INTEGER NOT NULL,
	number VARCHAR(64) DEFAULT '' NOT NULL,
	at_ms INTEGER NOT NULL,
	until_ms INTEGER,
	rule_id INTEGER,
	"row" VARCHAR(40) DEFAULT '' NOT NULL,
	CONSTRAINT fk_contact_wait_campaign_id_campaign FOREIGN KEY(campaign_id, user_id) REFERENCES campaign (id, user_id) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX ix_contact_wait_at_ms ON contact_wait (at_ms, id);
CREATE INDEX ix_contact_wait_campaign_id ON contact_wait (campaign_id, id);
CREATE INDEX ix_contact_wait_subscriber_id ON contact_wait (subscriber_id);
CREATE TABLE campaign_hour (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	grouping SMALLINT NOT NULL,
	member VARCHAR(255) NOT NULL,
	hour INTEGER NOT NULL,
	calls INTEGER DEFAULT '0' NOT NULL,
	answered INTEGER DEFAULT '0' NOT NULL,
	live INTEGER DEFAULT '0' NOT NULL,
	completed INTEGER DEFAULT '0' NOT NULL,
	talk_s INTEGER DEFAULT '0' NOT NULL,
	answer_s INTEGER DEFAULT '0' NOT NULL,
	signalled INTEGER DEFAULT '0' NOT NULL,
	post_dial_ms INTEGER DEFAULT '0' NOT NULL,
	for_agents INTEGER DEFAULT '0' NOT NULL,
	abandoned INTEGER DEFAULT '0' NOT NULL,
	legs INTEGER DEFAULT '0' NOT NULL,
	legs_answered INTEGER DEFAULT '0' NOT NULL,
	legs_talk_s INTEGER DEFAULT '0' NOT NULL,
	inbound INTEGER DEFAULT '0' NOT NULL,
	inbound_answered INTEGER DEFAULT '0' NOT NULL,
	inbound_talk_s INTEGER DEFAULT '0' NOT NULL,
	messages INTEGER DEFAULT '0' NOT NULL,
	delivered INTEGER DEFAULT '0' NOT NULL,
	parts INTEGER DEFAULT '0' NOT NULL,
	cost INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_campaign_hour_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_campaign_hour_key ON campaign_hour (campaign_id, grouping, hour, member);
CREATE TABLE subscriber_count (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	phonebook_id INTEGER NOT NULL,
	status SMALLINT NOT NULL,
	status_reason VARCHAR(40) NOT NULL,
	subscribers INTEGER DEFAULT '0' NOT NULL,
	attempted INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_subscriber_count_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX uq_subscriber_count_key ON subscriber_count (campaign_id, phonebook_id, status, status_reason);
CREATE TABLE report_schedule (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	campaign_id INTEGER,
	name VARCHAR(255) NOT NULL,
	report VARCHAR(20) DEFAULT 'agent_outcomes' NOT NULL,
	sent_as VARCHAR(10) DEFAULT 'words' NOT NULL,
	sent_when VARCHAR(10) DEFAULT 'daily' NOT NULL,
	send_time VARCHAR(8) DEFAULT '08:00:00' NOT NULL,
	monday BOOLEAN DEFAULT '1' NOT NULL,
	tuesday BOOLEAN DEFAULT '1' NOT NULL,
	wednesday BOOLEAN DEFAULT '1' NOT NULL,
	thursday BOOLEAN DEFAULT '1' NOT NULL,
	friday BOOLEAN DEFAULT '1' NOT NULL,
	saturday BOOLEAN DEFAULT '1' NOT NULL,
	sunday BOOLEAN DEFAULT '1' NOT NULL,
	time_zone VARCHAR(64) DEFAULT '' NOT NULL,
	recipients VARCHAR(3000) DEFAULT '' NOT NULL,
	tells_webhooks BOOLEAN DEFAULT '0' NOT NULL,
	enabled BOOLEAN DEFAULT '1' NOT NULL,
	next_due_ms INTEGER,
	failing_since_ms INTEGER,
	problem VARCHAR(400) DEFAULT '' NOT NULL,
	last_sent_date INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_report_schedule_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_report_schedule_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE
);
CREATE INDEX ix_report_schedule_campaign_id ON report_schedule (campaign_id);
CREATE INDEX ix_report_schedule_next_due_ms ON report_schedule (next_due_ms) WHERE next_due_ms IS NOT NULL;
CREATE INDEX ix_report_schedule_user_id ON report_schedule (user_id);
CREATE TABLE branching_template (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	section_id INTEGER NOT NULL,
	keys VARCHAR(150) NOT NULL,
	goto_id INTEGER,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_branching_template_section_id_section_template FOREIGN KEY(section_id) REFERENCES section_template (id) ON DELETE CASCADE,
	CONSTRAINT fk_branching_template_goto_id_section_template FOREIGN KEY(goto_id) REFERENCES section_template (id) ON DELETE SET NULL
);
CREATE INDEX ix_branching_template_goto_id ON branching_template (goto_id);
CREATE UNIQUE INDEX uq_branching_template_section_id_keys ON branching_template (section_id, keys);
CREATE TABLE callrequest (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	subscriber_id INTEGER,
	contact_id INTEGER,
	user_id INTEGER NOT NULL,
	gateway_id INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	callid VARCHAR(36) NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	dialled_number VARCHAR(80) DEFAULT '' NOT NULL,
	callerid VARCHAR(80) NOT NULL,
	status SMALLINT NOT NULL,
	status_reason VARCHAR(40) NOT NULL,
	started_ms INTEGER NOT NULL,
	ended_ms INTEGER,
	hangup_cause_q850 INTEGER,
	ring_limit_ms INTEGER NOT NULL,
	talk_limit_ms INTEGER NOT NULL,
	hold INTEGER NOT NULL,
	call_rate INTEGER NOT NULL,
	connection_fee INTEGER DEFAULT '0' NOT NULL,
	first_increment INTEGER DEFAULT '60' NOT NULL,
	next_increment INTEGER DEFAULT '60' NOT NULL,
	amd SMALLINT NOT NULL,
	parameters VARCHAR,
	did_id INTEGER,
	is_simulated BOOLEAN DEFAULT '0' NOT NULL,
	consent_id INTEGER,
	heard TEXT DEFAULT '' NOT NULL,
	recording_orders TEXT,
	CONSTRAINT fk_callrequest_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_callrequest_subscriber_id_subscriber FOREIGN KEY(subscriber_id) REFERENCES subscriber (id) ON DELETE CASCADE,
	CONSTRAINT fk_callrequest_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_callrequest_did_id_did FOREIGN KEY(did_id) REFERENCES did (id) ON DELETE SET NULL
);
CREATE INDEX ix_callrequest_callers ON callrequest (callerid) WHERE subscriber_id IS NULL;
CREATE INDEX ix_callrequest_campaign_id ON callrequest (campaign_id);
CREATE INDEX ix_callrequest_did_id ON callrequest (did_id) WHERE did_id IS NOT NULL;
CREATE INDEX ix_callrequest_gateway_id_started_ms ON callrequest (gateway_id, started_ms);
CREATE INDEX ix_callrequest_last_digits ON callrequest (user_id, substr(phone_number, -4), phone_number);
CREATE INDEX ix_callrequest_phone_number ON callrequest (phone_number, id, user_id);
CREATE INDEX ix_callrequest_started_ms ON callrequest (started_ms, id, user_id);
CREATE INDEX ix_callrequest_user_id_id ON callrequest (user_id, id);
CREATE UNIQUE INDEX uq_callrequest_subscriber_id_attempt ON callrequest (subscriber_id, attempt, user_id);
CREATE TABLE report_link (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	schedule_id INTEGER,
	maker_id INTEGER,
	name VARCHAR(255) NOT NULL,
	report VARCHAR(10) DEFAULT 'answers' NOT NULL,
	list_column VARCHAR(255) DEFAULT '' NOT NULL,
	token_hash BLOB NOT NULL,
	expirationdate INTEGER NOT NULL,
	opened INTEGER DEFAULT '0' NOT NULL,
	last_opened_date INTEGER,
	minute INTEGER DEFAULT '0' NOT NULL,
	opened_in_minute INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_report_link_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_report_link_schedule_id_report_schedule FOREIGN KEY(schedule_id) REFERENCES report_schedule (id) ON DELETE CASCADE,
	CONSTRAINT fk_report_link_maker_id_user_account FOREIGN KEY(maker_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_report_link_campaign_id ON report_link (campaign_id);
CREATE INDEX ix_report_link_maker_id ON report_link (maker_id);
CREATE INDEX ix_report_link_schedule_id ON report_link (schedule_id);
CREATE UNIQUE INDEX uq_report_link_token_hash ON report_link (token_hash);
CREATE TABLE report_delivery (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	schedule_id INTEGER NOT NULL,
	due_ms INTEGER NOT NULL,
	recipient VARCHAR(254) NOT NULL,
	status VARCHAR(10) DEFAULT 'waiting' NOT NULL,
	attempts SMALLINT DEFAULT '0' NOT NULL,
	next_ms INTEGER,
	problem VARCHAR(400) DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_report_delivery_schedule_id_report_schedule FOREIGN KEY(schedule_id) REFERENCES report_schedule (id) ON DELETE CASCADE
);
CREATE INDEX ix_report_delivery_next_ms ON report_delivery (next_ms) WHERE next_ms IS NOT NULL;
CREATE UNIQUE INDEX uq_report_delivery_schedule_id_due_ms_recipient ON report_delivery (schedule_id, due_ms, recipient);
CREATE TABLE call_recording (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	callid VARCHAR(36) NOT NULL,
	callrequest_id INTEGER,
	campaign_id INTEGER,
	agent_id INTEGER,
	queue_id INTEGER,
	phone_number VARCHAR(64) NOT NULL,
	start_date INTEGER NOT NULL,
	seconds INTEGER NOT NULL,
	size INTEGER NOT NULL,
	paused TEXT,
	file VARCHAR(64) NOT NULL,
	stored_where VARCHAR(8) DEFAULT '' NOT NULL,
	sound_key VARCHAR,
	state VARCHAR(16) NOT NULL,
	refused BOOLEAN DEFAULT '0' NOT NULL,
	removed_ms INTEGER,
	kept_until_ms INTEGER,
	legal_hold BOOLEAN DEFAULT '0' NOT NULL,
	text TEXT DEFAULT '' NOT NULL,
	text_language VARCHAR(35) DEFAULT '' NOT NULL,
	text_state VARCHAR(8) DEFAULT 'off' NOT NULL,
	text_claimed_ms INTEGER,
	text_asked_ms INTEGER,
	text_tries INTEGER DEFAULT '0' NOT NULL,
	CONSTRAINT fk_call_recording_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_call_recording_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE SET NULL,
	CONSTRAINT fk_call_recording_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE SET NULL,
	CONSTRAINT fk_call_recording_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE SET NULL,
	CONSTRAINT fk_call_recording_queue_id_queue FOREIGN KEY(queue_id) REFERENCES queue (id) ON DELETE SET NULL
);
CREATE INDEX ix_call_recording_agent_id ON call_recording (agent_id);
CREATE INDEX ix_call_recording_callid ON call_recording (callid);
CREATE INDEX ix_call_recording_callrequest_id ON call_recording (callrequest_id);
CREATE INDEX ix_call_recording_campaign_id ON call_recording (campaign_id, id);
CREATE INDEX ix_call_recording_file ON call_recording (file) WHERE file <> '';
CREATE INDEX ix_call_recording_in_progress ON call_recording (start_date) WHERE state = 'in_progress';
CREATE INDEX ix_call_recording_kept_until_ms ON call_recording (kept_until_ms) WHERE kept_until_ms IS NOT NULL AND state <> 'removed';
CREATE INDEX ix_call_recording_last_digits ON call_recording (user_id, substr(phone_number, -4), phone_number);
CREATE INDEX ix_call_recording_left ON call_recording (id) WHERE state = 'removed' AND file <> '';
CREATE INDEX ix_call_recording_phone_number ON call_recording (phone_number, id, user_id);
CREATE INDEX ix_call_recording_queue_id ON call_recording (queue_id);
CREATE INDEX ix_call_recording_start_date ON call_recording (start_date, id, user_id);
CREATE INDEX ix_call_recording_text_waiting ON call_recording (id) WHERE text_state = 'waiting';
CREATE INDEX ix_call_recording_user_id_id ON call_recording (user_id, id);
CREATE INDEX ix_call_recording_waiting ON call_recording (id) WHERE state = 'waiting';
CREATE TABLE transfer (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	callrequest_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	place INTEGER NOT NULL,
	section_id INTEGER NOT NULL,
	queue_id INTEGER,
	agent_id INTEGER,
	gateway_id INTEGER NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	status SMALLINT NOT NULL,
	reason VARCHAR(40) NOT NULL,
	joined_ms INTEGER NOT NULL,
	score_from_ms INTEGER NOT NULL,
	offers TEXT NOT NULL,
	parameters TEXT DEFAULT '' NOT NULL,
	started_ms INTEGER,
	answered_ms INTEGER,
	ended_ms INTEGER,
	hold INTEGER NOT NULL,
	call_rate INTEGER NOT NULL,
	connection_fee INTEGER DEFAULT '0' NOT NULL,
	first_increment INTEGER DEFAULT '60' NOT NULL,
	next_increment INTEGER DEFAULT '60' NOT NULL,
	talk_limit_ms INTEGER NOT NULL,
	is_abandoned BOOLEAN NOT NULL,
	on_hold_from_ms INTEGER,
	on_hold_ms INTEGER DEFAULT '0' NOT NULL,
	from_agent_id INTEGER,
	for_agent_id INTEGER,
	consulted INTEGER DEFAULT '0' NOT NULL,
	recorded_ms INTEGER,
	CONSTRAINT fk_transfer_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE CASCADE,
	CONSTRAINT fk_transfer_queue_id_queue FOREIGN KEY(queue_id) REFERENCES queue (id) ON DELETE SET NULL,
	CONSTRAINT fk_transfer_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE SET NULL
);
CREATE INDEX ix_transfer_agent_id ON transfer (agent_id);
CREATE INDEX ix_transfer_gateway_id_started_ms ON transfer (gateway_id, started_ms);
CREATE INDEX ix_transfer_joined_ms ON transfer (joined_ms, id, callrequest_id);
CREATE INDEX ix_transfer_last_digits ON transfer (user_id, substr(phone_number, -4), phone_number);
CREATE INDEX ix_transfer_phone_number ON transfer (phone_number, id, callrequest_id);
CREATE INDEX ix_transfer_queue_id_ended_ms ON transfer (queue_id, ended_ms);
CREATE INDEX ix_transfer_unpaid ON transfer (joined_ms) WHERE reason = 'no_credit';
CREATE UNIQUE INDEX uq_transfer_callrequest_id_place ON transfer (callrequest_id, place, user_id);
CREATE TABLE waiting_text (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	message_id INTEGER NOT NULL,
	campaign_id INTEGER NOT NULL,
	callrequest_id INTEGER NOT NULL,
	subscriber_id INTEGER,
	contact_id INTEGER,
	user_id INTEGER NOT NULL,
	gateway_id INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	callid VARCHAR(36) NOT NULL,
	callerid VARCHAR(80) NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	text_message VARCHAR(1600) NOT NULL,
	CONSTRAINT fk_waiting_text_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_waiting_text_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE CASCADE,
	CONSTRAINT fk_waiting_text_subscriber_id_subscriber FOREIGN KEY(subscriber_id) REFERENCES subscriber (id) ON DELETE CASCADE,
	CONSTRAINT fk_waiting_text_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE
);
CREATE INDEX ix_waiting_text_callrequest_id ON waiting_text (callrequest_id);
CREATE INDEX ix_waiting_text_campaign_id ON waiting_text (campaign_id);
CREATE INDEX ix_waiting_text_subscriber_id ON waiting_text (subscriber_id);
CREATE INDEX ix_waiting_text_user_id ON waiting_text (user_id);
CREATE UNIQUE INDEX uq_waiting_text_message_id ON waiting_text (message_id, user_id);
CREATE TABLE call_back (
	id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	due_ms INTEGER NOT NULL,
	CONSTRAINT pk_call_back PRIMARY KEY (id),
	CONSTRAINT fk_call_back_id_callrequest FOREIGN KEY(id) REFERENCES callrequest (id) ON DELETE CASCADE
);
CREATE TABLE cdr (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	callid VARCHAR(36) NOT NULL,
	callerid VARCHAR(80) NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	starting_date INTEGER NOT NULL,
	duration INTEGER NOT NULL,
	billsec INTEGER NOT NULL,
	call_cost INTEGER NOT NULL,
	billed_duration INTEGER NOT NULL,
	call_rate INTEGER,
	connection_fee INTEGER DEFAULT '0' NOT NULL,
	first_increment INTEGER DEFAULT '60' NOT NULL,
	next_increment INTEGER DEFAULT '60' NOT NULL,
	hangup_cause_q850 INTEGER NOT NULL,
	leg_type SMALLINT NOT NULL,
	amd_status SMALLINT NOT NULL,
	callrequest_id INTEGER,
	campaign_id INTEGER,
	subscriber_id INTEGER NOT NULL,
	contact_id INTEGER,
	gateway_id INTEGER DEFAULT '0' NOT NULL,
	attempt INTEGER DEFAULT '0' NOT NULL,
	zone VARCHAR(255) DEFAULT '' NOT NULL,
	phonebook_id INTEGER DEFAULT '0' NOT NULL,
	agent_id INTEGER DEFAULT '0' NOT NULL,
	post_dial_ms INTEGER,
	is_for_agents BOOLEAN DEFAULT '0' NOT NULL,
	is_abandoned BOOLEAN DEFAULT '0' NOT NULL,
	is_completed BOOLEAN DEFAULT '0' NOT NULL,
	sound VARCHAR(120),
	is_test BOOLEAN DEFAULT '0' NOT NULL,
	consent_id INTEGER,
	CONSTRAINT fk_cdr_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE RESTRICT,
	CONSTRAINT fk_cdr_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE SET NULL,
	CONSTRAINT fk_cdr_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE SET NULL
);
CREATE INDEX ix_cdr_agent_id ON cdr (agent_id, user_id, id);
CREATE INDEX ix_cdr_call_cost ON cdr (call_cost, id, user_id);
CREATE INDEX ix_cdr_callers ON cdr (callerid) WHERE attempt < 0;
CREATE INDEX ix_cdr_callrequest_id ON cdr (callrequest_id);
CREATE INDEX ix_cdr_campaign_id ON cdr (campaign_id);
CREATE INDEX ix_cdr_duration ON cdr (duration, id, user_id);
CREATE INDEX ix_cdr_last_digits ON cdr (user_id, substr(phone_number, -4), phone_number);
CREATE INDEX ix_cdr_phone_number ON cdr (phone_number, id, user_id);
CREATE INDEX ix_cdr_starting_date ON cdr (starting_date, id, user_id);
CREATE INDEX ix_cdr_user_id_id ON cdr (user_id, id);
CREATE INDEX ix_cdr_user_id_starting_date ON cdr (user_id, starting_date, id);
CREATE UNIQUE INDEX uq_cdr_callid ON cdr (callid, user_id);
CREATE TABLE survey_result (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	callid VARCHAR(36) DEFAULT '' NOT NULL,
	campaign_id INTEGER,
	callrequest_id INTEGER,
	section_id INTEGER NOT NULL,
	section_type SMALLINT NOT NULL,
	question VARCHAR(500) NOT NULL,
	response VARCHAR(16384) NOT NULL,
	summary VARCHAR(4000) DEFAULT '' NOT NULL,
	record_file VARCHAR(255) DEFAULT '' NOT NULL,
	recording_duration INTEGER,
	created_date INTEGER NOT NULL,
	CONSTRAINT fk_survey_result_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_survey_result_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE SET NULL,
	CONSTRAINT fk_survey_result_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE SET NULL
);
CREATE INDEX ix_survey_result_callid ON survey_result (callid);
CREATE INDEX ix_survey_result_callrequest_id ON survey_result (callrequest_id);
CREATE INDEX ix_survey_result_campaign_id ON survey_result (campaign_id, id);
CREATE INDEX ix_survey_result_created_date ON survey_result (created_date, id, user_id);
CREATE INDEX ix_survey_result_section_id ON survey_result (section_id);
CREATE INDEX ix_survey_result_user_id_id ON survey_result (user_id, id);
CREATE TABLE sms_message (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	campaign_id INTEGER NOT NULL,
	subscriber_id INTEGER,
	contact_id INTEGER,
	user_id INTEGER NOT NULL,
	gateway_id INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	message_id VARCHAR(36) NOT NULL,
	callerid VARCHAR(80) NOT NULL,
	phone_number VARCHAR(64) NOT NULL,
	dialled_number VARCHAR(80) DEFAULT '' NOT NULL,
	text_message VARCHAR(16000) NOT NULL,
	parts INTEGER NOT NULL,
	is_simulated BOOLEAN DEFAULT '0' NOT NULL,
	consent_id INTEGER,
	status VARCHAR(16) NOT NULL,
	cost INTEGER NOT NULL,
	hold INTEGER NOT NULL,
	parameters VARCHAR,
	send_date INTEGER NOT NULL,
	delivery_date INTEGER,
	ended_ms INTEGER,
	callrequest_id INTEGER,
	sms_campaign_id INTEGER,
	CONSTRAINT fk_sms_message_campaign_id_campaign FOREIGN KEY(campaign_id) REFERENCES campaign (id) ON DELETE CASCADE,
	CONSTRAINT fk_sms_message_subscriber_id_subscriber FOREIGN KEY(subscriber_id) REFERENCES subscriber (id) ON DELETE CASCADE,
	CONSTRAINT fk_sms_message_contact_id_contact FOREIGN KEY(contact_id) REFERENCES contact (id) ON DELETE SET NULL,
	CONSTRAINT fk_sms_message_user_id_user_account FOREIGN KEY(user_id) REFERENCES user_account (id) ON DELETE CASCADE,
	CONSTRAINT fk_sms_message_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE SET NULL,
	CONSTRAINT fk_sms_message_sms_campaign_id_campaign FOREIGN KEY(sms_campaign_id) REFERENCES campaign (id) ON DELETE SET NULL
);
CREATE INDEX ix_sms_message_callrequest_id ON sms_message (callrequest_id);
CREATE INDEX ix_sms_message_campaign_id_status ON sms_message (campaign_id, status);
CREATE INDEX ix_sms_message_contact_id ON sms_message (contact_id);
CREATE INDEX ix_sms_message_gateway_id_send_date ON sms_message (gateway_id, send_date);
CREATE INDEX ix_sms_message_last_digits ON sms_message (user_id, substr(phone_number, -4), phone_number);
CREATE INDEX ix_sms_message_on_its_way ON sms_message (campaign_id) WHERE ended_ms IS NULL;
CREATE INDEX ix_sms_message_phone_number ON sms_message (phone_number, id, user_id);
CREATE INDEX ix_sms_message_send_date ON sms_message (send_date, id, user_id);
CREATE INDEX ix_sms_message_sms_campaign_id ON sms_message (sms_campaign_id);
CREATE INDEX ix_sms_message_subscriber_id ON sms_message (subscriber_id);
CREATE INDEX ix_sms_message_user_id_id ON sms_message (user_id, id);
CREATE UNIQUE INDEX uq_sms_message_subscriber_id_attempt ON sms_message (subscriber_id, attempt, user_id) WHERE callrequest_id IS NULL;
CREATE TABLE call_disposition (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	callrequest_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	disposition VARCHAR(40) NOT NULL,
	word VARCHAR(100) DEFAULT '' NOT NULL,
	note VARCHAR(1000) DEFAULT '' NOT NULL,
	call_back_ms INTEGER,
	same_agent BOOLEAN DEFAULT '0' NOT NULL,
	was_completed BOOLEAN DEFAULT '0' NOT NULL,
	promised_agent_id INTEGER,
	promised_until_ms INTEGER DEFAULT '0' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_call_disposition_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE CASCADE
);
CREATE INDEX ix_call_disposition_user_id_call_back_ms ON call_disposition (user_id, call_back_ms) WHERE call_back_ms IS NOT NULL;
CREATE UNIQUE INDEX uq_call_disposition_callrequest_id ON call_disposition (callrequest_id, user_id);
CREATE TABLE call_draft (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	callrequest_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	agent_id INTEGER NOT NULL,
	disposition VARCHAR(160) DEFAULT '' NOT NULL,
	note VARCHAR(1000) DEFAULT '' NOT NULL,
	call_back_ms INTEGER,
	same_agent BOOLEAN DEFAULT '0' NOT NULL,
	fields TEXT DEFAULT '' NOT NULL,
	created_date INTEGER NOT NULL,
	updated_date INTEGER NOT NULL,
	CONSTRAINT fk_call_draft_callrequest_id_callrequest FOREIGN KEY(callrequest_id) REFERENCES callrequest (id) ON DELETE CASCADE,
	CONSTRAINT fk_call_draft_agent_id_agent FOREIGN KEY(agent_id) REFERENCES agent (id) ON DELETE CASCADE
);
CREATE INDEX ix_call_draft_agent_id ON call_draft (agent_id);
CREATE UNIQUE INDEX uq_call_draft_callrequest_id_agent_id ON call_draft (callrequest_id, agent_id, user_id);
CREATE TABLE text_part (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	gateway_id INTEGER NOT NULL,
	name VARCHAR(255) NOT NULL,
	message_id INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	CONSTRAINT fk_text_part_message_id_sms_message FOREIGN KEY(message_id) REFERENCES sms_message (id) ON DELETE CASCADE
);
CREATE INDEX ix_text_part_message_id ON text_part (message_id);
CREATE INDEX ix_text_part_plain_name ON text_part (lower(ltrim(name, '0')), gateway_id);
CREATE UNIQUE INDEX uq_text_part_gateway_id_name ON text_part (gateway_id, name);
