package projection

import (
	"context"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// bomb is a storage in which a call panics.
type bomb struct{ *journal }

func (bomb) ApplySummary(context.Context, domain.Summary) error { panic("no such thing") }

func (bomb) ConfirmName(context.Context, domain.User) (bool, error) { panic("no such thing") }

// A panic in a goroutine ends the process, whatever the others recover; and the next
// process comes by the same change.
func TestAPanicInParallelIsAnError(t *testing.T) {
	b := bomb{&journal{}}
	posts := &PostsProjector{Users: b, Feed: b, Posts: b, Drafts: b, AuthorCorrector: AuthorCorrector{Authors: b, Items: b}, Markdown: markdown.New()}
	users := &UsersProjector{Users: b, Posts: b, Drafts: b, ScheduledPosts: b, Images: b}
	for name, err := range map[string]error{
		"posts": posts.Project(t.Context(), []domain.PostChange{{Post: &domain.Post{ID: "p", Version: 1}}}),
		"users": users.Project(t.Context(), []domain.UserChange{{User: &domain.User{ID: "u"}}}),
	} {
		if err == nil || !strings.Contains(err.Error(), "no such thing") || !strings.Contains(err.Error(), "parallel_test.go") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
