package cosmos

import (
	"inkfeed/domain"
)

func errNoUser() error { return domain.Errorf(domain.NotFound, "There is no such user.") }

func errNoPost() error { return domain.Errorf(domain.NotFound, "There is no such post.") }
