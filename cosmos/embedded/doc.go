// Package embedded is a durable, single-process engine that implements the REST protocol of
// Azure Cosmos DB for NoSQL on SQLite.
//
// An [Engine] owns one data directory. It is an [http.Handler] for clients in other processes,
// and the Transporter of an azcore pipeline, so that the official SDK uses it in process without
// a socket. It rejects the same requests as the service, with the service's errors, so that an
// application that works here also works in Azure.
//
// # Packages
//
// Package embedded contains the protocol, with a file for each resource. The packages below
// internal, from the lowest layer to the highest:
//
//   - value: JSON values with Cosmos DB's semantics, their order and their sort keys
//   - epk: encoding and hashing of partition keys
//   - query: the parser and evaluator of Cosmos DB's SQL
//   - pushdown: the compilation of WHERE clauses to conditions for SQLite
//   - charge: the model of request charges
//   - apierror: the protocol's error responses
//   - storage: the SQLite file, its connections, backup, restore and damage detection
//   - catalog: databases, containers, policies, feed ranges, offers and the tables of containers
//   - items: operations on items, and the writer that commits them
//   - execution: the execution of a query, page by page
//
// # Requests
//
// router.go finds the resource, checks the signature and calls the handler. Reads use a pool of
// read-only SQLite connections. Writes are functions that a single goroutine, the writer,
// executes. It groups waiting writes into one SQLite transaction, with a savepoint for each write
// that can fail after a part. It answers them after the commit has reached the disk. Parsing,
// sort keys and hashes are computed before, on the request's goroutine.
//
// # Durability
//
// A write is acknowledged after the log that contains it has been synced. It survives the death
// of the process and of the machine. SQLite recovers whole transactions from a log, up to the
// last synced one or later. LSNs are part of the transactions, so none is assigned twice.
//
// Opening checks that the file belongs to the engine, has the right version and its full length
// (storage/torn.go). It does not read the whole file. A damaged page is detected when it is read,
// and nothing is written from then on (storage/damage.go). Pages have no checksums, so the engine
// does not notice if a disk returns older content.
//
// Readers see a snapshot and block no one. SQLite writes the log back when it has 32 MB, and the
// engine bounds its size even if reads overlap without end (items/checkpoint.go). The log grows
// only while a backup runs (storage/backup.go).
//
// # Storage of items
//
// Each container is a SQLite table, described in catalog/table.go. The body is canonical JSON
// without the system properties, which are columns. The partition key is a column of bytes,
// unique together with the id. Each path that the indexing policy names, individually or in a
// composite index, has a column with the value's sort key. Sort keys are bytes that compare as
// Cosmos DB orders values, across types too, and that are equal only for equal values. They are
// computed in Go when an item is written.
//
// A composite index is therefore a plain SQLite index over plain columns. Every filter and ORDER
// BY can use it, and finding items needs no JSON parsing. SQLite's json_extract would not do: it
// does not distinguish true from 1, or null from undefined, and it parses JSON for each row.
//
// # Queries
//
// Package query parses a query, and package pushdown divides its WHERE clause. SQLite evaluates
// the conditions that it can decide exactly from columns. Go evaluates the rest on the items
// that SQLite finds, as well as joins, subqueries, groups and projections. The number of steps is
// limited: a page that takes too many ends early, and a query that cannot be continued fails. An
// ORDER BY resumes after an item by index searches, one for each sort key.
//
// The service's gateway does not merge some queries from several partitions. The engine rejects
// them with the plan by which SDKs merge the results themselves (execution/clientplan.go), unless
// Options.Permissive is set.
//
// # Feed ranges and LSNs
//
// A container is divided into feed ranges by the hash of the partition key. Each range counts its
// committed write transactions (its LSN), in the same SQLite transaction as the data. The row of
// an item contains the range and the LSN of its last write, and an index over these two columns
// is the change feed.
//
// A feed range can be split while it is in use, by an operator or because more throughput needs
// it. No row is rewritten: the two new ranges continue the LSN of the old one, and each reads the
// old range's rows whose hash it covers (pkranges.go). Continuations of the change feed, session
// tokens and query continuations therefore stay valid. Ranges are never merged.
//
// # Throughput
//
// Package charge estimates the charge of each request. With Options.EnforceThroughput, the
// charges per second are limited by the throughput of the container or of its database
// (throttle.go). A throughput beyond the capacity of one feed range adds or splits ranges in any
// case (offers.go).
package embedded
