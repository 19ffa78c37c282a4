-- The database of one replica, format 1. docs/format.md says what each table means.

create table replica (
    one integer primary key check (one = 1),
    own integer not null,
    machine text,
    path text not null,
    inode integer not null,
    clock_us integer not null,
    clock_logical integer not null,
    generation integer not null
);

create table replicas (
    num integer primary key,
    id blob not null unique,
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
    why text not null
) without rowid;
create index waiting_by_name on waiting (replica, stream, seq);

create table taken_files (
    path text primary key,
    size integer not null,
    mtime_us integer not null,
    inode integer not null,
    problem text
) without rowid;

create table books (
    num integer primary key,
    name text not null unique,
    live_count integer not null default 0,
    live_chars integer not null default 0
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

create table views (
    num integer primary key,
    path text not null unique,
    before integer,
    trouble text,
    inference_ended integer not null default 0
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
create index versions_by_set on versions (view, set_hash);

create table stood (
    view integer not null,
    key blob not null,
    first integer not null,
    last integer,
    text text not null,
    place real not null,
    imported_at integer,
    primary key (view, key, first)
) without rowid;
create index stood_now on stood (view, place) where last is null;
create index stood_by_first on stood (view, first);

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

pragma user_version = 1;
