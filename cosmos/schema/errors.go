package schema

import "inkfeed/domain"

func ErrNoUser() error { return domain.Errorf(domain.NotFound, "There is no such user.") }

func ErrNoPost() error { return domain.Errorf(domain.NotFound, "There is no such post.") }
