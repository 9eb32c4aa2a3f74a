package projection

import (
	"context"
	"strings"
	"testing"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// panicking is a storage whose writes panic.
type panicking struct{ *journal }

func (panicking) ApplySummary(context.Context, domain.Summary) error { panic("no such thing") }

func (panicking) ConfirmName(context.Context, domain.User) (bool, error) { panic("no such thing") }

// A panic in any goroutine would end the process, and the next process would meet the same change.
func TestAPanicInParallelIsAnError(t *testing.T) {
	b := panicking{&journal{}}
	posts := &PostsProjector{UserCopies: b, Feed: b, Posts: b, Drafts: b,
		AuthorCorrector: AuthorCorrector{Authors: b, Items: b}, Markdown: markdown.New()}
	users := &UsersProjector{Users: b, Usernames: b, Administrators: b, AccountDeletions: b, Posts: b,
		Drafts: b, ScheduledPosts: b, Images: b, AccountRows: rowJournal(b)}
	for name, err := range map[string]error{
		"posts": posts.Project(t.Context(), []feeds.PostChange{{Post: &domain.Post{ID: "p", Version: 1}}}),
		"users": users.Project(t.Context(), []feeds.UserChange{{User: &domain.User{ID: "u"}}}),
	} {
		if err == nil || !strings.Contains(err.Error(), "no such thing") ||
			!strings.Contains(err.Error(), "parallel_test.go") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
