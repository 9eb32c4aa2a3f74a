// Package verify checks every rule of the data model against the stored items. It reads the items with shapes
// of its own and imports none of the packages that write them.
package verify
