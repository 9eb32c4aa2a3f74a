// Package domain holds what Inkfeed is about, whatever it is stored in or shown
// by: users, posts, comments, likes and the short forms of posts, with the
// rules each must obey. It imports no other package of this module.
//
// Values are plain structs. Those that come from a form are made by the New…
// constructors, which validate and report every bad field at once (see Error).
package domain
