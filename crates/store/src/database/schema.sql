-- The database of one replica, format 1. docs/format.md says what each table means.

create table replica (
    one integer primary key check (one = 1),
    own integer not null,
    machine text,
    path text not null,
    inode integer not null,
    clock_us integer not null,
    clock_logical integer not null,
    generation integer not null,
    key blob not null
);

create table replicas (
    num integer primary key,
    id blob not null unique,
    written blob,
    device text,
    last_seen_us integer
);

create table own_ids (
    replica integer primary key,
    memory_last integer not null,
    sessions_last integer not null
);

create table stores (
    id text primary key,
    first integer not null
) without rowid;

create table streams (
    replica integer not null,
    stream integer not null,
    seq integer not null,
    hash blob not null,
    change_seq integer not null,
    change_hash blob,
    max_op integer not null,
    begins integer not null default 1,
    follows blob,
    forked integer not null default 0,
    primary key (replica, stream)
) without rowid;

create table records (
    num integer primary key,
    replica integer not null,
    stream integer not null,
    seq integer not null,
    kind integer not null,
    hash blob not null,
    payload blob,
    erased blob,
    change_hash blob,
    max_op integer,
    applied integer not null
);
create unique index records_by_name on records (replica, stream, seq);
create index records_unapplied on records (num) where applied = 0;

create table waiting (
    hash blob primary key,
    replica blob not null,
    stream integer not null,
    seq integer not null,
    previous blob not null,
    kind integer not null,
    payload blob,
    erased blob,
    lacking_us integer
) without rowid;
create index waiting_by_name on waiting (replica, stream, seq);

create table taken_files (
    path text primary key,
    size integer not null,
    mtime_us integer not null,
    inode integer not null,
    problem text,
    ignored integer not null default 0,
    replica blob,
    stream integer,
    first integer,
    last integer,
    hash blob,
    weight integer,
    superseded_us integer
) without rowid;

create table lacking (
    replica integer not null,
    stream integer not null,
    first integer not null,
    last integer not null,
    since_us integer not null,
    primary key (replica, stream, first)
) without rowid;

create table books (
    num integer primary key,
    name text not null unique,
    live_count integer,
    live_chars integer
);

create table entries (
    num integer primary key,
    id blob not null unique,
    book integer not null,
    text text not null,
    key blob not null,
    position text not null,
    written_us integer not null,
    written_logical integer not null,
    by text not null,
    device text not null,
    source text,
    labels text,
    replaces text,
    scope integer not null,
    more text,
    record integer not null,
    replica integer not null,
    seq integer not null,
    live integer not null
);
create index entries_live on entries (book, position, id) where live = 1;
create index entries_by_key on entries (key, book);

create table tombstones (
    entry blob not null,
    record integer not null,
    at_us integer not null,
    at_logical integer not null,
    by text not null,
    device text not null,
    why text,
    replaced_by text,
    more text,
    primary key (entry, record)
) without rowid;

create table replacements (
    old blob not null,
    new blob not null,
    primary key (old, new)
) without rowid;

create table conflict_copies (
    hash blob primary key
) without rowid;

create table cursors (
    replica integer not null,
    seq integer not null,
    conversation text not null,
    through integer not null,
    at_us integer not null,
    at_logical integer not null,
    primary key (replica, seq)
) without rowid;
create index cursors_by_conversation on cursors (conversation, at_us, at_logical);

create table review_answers (
    digest blob primary key,
    conversation text not null,
    since integer,
    again integer not null
) without rowid;
create index review_answers_by_conversation on review_answers (conversation);

create table views (
    num integer primary key,
    path text not null unique,
    trouble text,
    inference_ended integer not null default 0,
    sets_upto integer not null default 0
);

create table versions (
    view integer not null,
    number integer not null,
    hash blob not null,
    set_hash blob not null,
    at_us integer not null,
    last_record integer not null,
    held_back integer not null,
    read integer,
    imported integer not null,
    framed integer not null,
    primary key (view, number)
) without rowid;

create table version_sets (
    view integer not null,
    set_hash blob not null,
    number integer not null,
    primary key (view, set_hash, number)
) without rowid;

create table standing (
    view integer not null,
    place real not null,
    key blob not null,
    first integer not null,
    text text not null,
    imported_at integer,
    primary key (view, place, key)
) without rowid;

create table stood (
    view integer not null,
    key blob not null,
    first integer not null,
    last integer not null,
    text text not null,
    place real not null,
    imported_at integer,
    primary key (view, key, first)
) without rowid;
create index stood_first on stood (view) where first = 1;

create table answered (
    view integer not null,
    hash blob not null,
    last_record integer not null,
    primary key (view, hash)
) without rowid;

create table held (
    view integer not null,
    key blob not null,
    kind integer not null,
    text text not null,
    since_us integer not null,
    last_record integer not null,
    primary key (view, key)
) without rowid;

create table inferred (
    view integer not null,
    entry blob not null,
    primary key (view, entry)
) without rowid;

create table guarded (
    view integer primary key,
    version integer not null,
    last_record integer not null,
    text text,
    since_us integer not null
);

create table copied (
    entry blob primary key
) without rowid;

create table reported (
    what text primary key,
    at_us integer not null
) without rowid;

create table sessions (
    num integer primary key,
    name text not null unique,
    shown integer not null default 0,
    clock_us integer not null default 0,
    clock_logical integer not null default 0,
    stamped_us integer not null default 0,
    names integer not null default 0
);

create table messages (
    num integer primary key,
    session integer not null,
    flush_us integer not null,
    digest blob not null,
    clock_us integer not null,
    clock_logical integer not null,
    replica integer not null,
    seq integer not null,
    record integer not null,
    copies integer not null default 0,
    hidden integer not null default 0,
    merged integer not null default 0
);
create unique index messages_by_identity on messages (session, flush_us, digest);
create index messages_by_clock on messages (session, clock_us, clock_logical);

create table message_copies (
    message integer not null,
    record integer not null,
    primary key (message, record)
) without rowid;

create table message_names (
    session integer not null,
    digest blob not null,
    low_us integer not null,
    high_us integer not null,
    primary key (session, digest, low_us, high_us)
) without rowid;

create table hidings (
    session integer not null,
    flush_us integer not null,
    digest blob not null,
    hidden integer not null,
    clock_us integer not null,
    clock_logical integer not null,
    replica integer not null,
    seq integer not null,
    primary key (session, flush_us, digest)
) without rowid;

create table tool_links (
    session integer not null,
    call text not null,
    result integer not null,
    message integer not null,
    primary key (session, call, result, message)
) without rowid;
create index tool_links_by_message on tool_links (message);

create table session_facts (
    session integer not null,
    field text not null,
    value text not null,
    clock_us integer not null,
    clock_logical integer not null,
    replica integer not null,
    seq integer not null,
    primary key (session, field)
) without rowid;

create table session_devices (
    session integer not null,
    device text not null,
    primary key (session, device)
) without rowid;

create table pending_files (
    path text primary key,
    inode integer not null,
    read_bytes integer not null,
    read_lines integer not null,
    tail blob not null,
    looked_bytes integer not null,
    looked_us integer not null,
    stamp_us integer not null,
    clock_us integer not null,
    clock_logical integer not null,
    foreign_lines integer not null,
    set_aside integer not null default 0
) without rowid;

create table damaged_lines (
    path text not null,
    line integer not null,
    reason text not null,
    bytes blob not null,
    reported integer not null default 0,
    primary key (path, line)
) without rowid;

create table hermes_files (
    num integer primary key,
    path text not null unique
);

create table hermes_sessions (
    file integer not null,
    name text not null,
    rows_seen text not null,
    facts_seen text not null,
    clock_us integer not null,
    clock_logical integer not null,
    primary key (file, name)
) without rowid;

create table hermes_rows (
    file integer not null,
    row integer not null,
    session text not null,
    written_us integer not null,
    flush_us integer not null,
    digest blob not null,
    state integer not null,
    primary key (file, row)
) without rowid;
create index hermes_rows_by_session on hermes_rows (file, session, row);

pragma user_version = 1;
