package schema

import "inkfeed/domain"

// ErrNoUser returns a NotFound error about a user.
func ErrNoUser() error { return domain.NewError(domain.NotFound, "There is no such user.") }

// ErrNoPost returns a NotFound error about a post.
func ErrNoPost() error { return domain.NewError(domain.NotFound, "There is no such post.") }
