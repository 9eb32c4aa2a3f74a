// Package explorer serves the data explorer of the embedded engine: pages with its databases, containers, items and
// change feeds, and a form for queries. The pages send the engine signed requests in its own protocol, so charges and
// errors are the engine's. They need the account key, and work without JavaScript.
package explorer
