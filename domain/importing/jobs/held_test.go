package jobs_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
	"inkfeed/domain/markdown"
	"inkfeed/domain/screening"
)

// screening returns a runner that holds posts of new accounts with links for review.
func (w *world) screening() *jobs.Runner {
	return w.runner(w.store, func(c *jobs.Config) {
		policy := screening.Policy{Markdown: markdown.New(), Host: "blog.example", Settings: w.store.Settings}
		c.Screen = func(ctx context.Context, author domain.User, before domain.Post, d domain.Draft) (domain.Hold,
			error) {
			return policy.Draft(ctx, author, before, d, time.Now())
		}
	})
}

func TestPostsOfNewAccountsWithLinksAreHeld(t *testing.T) {
	w := newWorld(t)
	r := w.screening()
	imports := func(content string) {
		t.Helper()
		w.upload("blog.zip", zipped(t, map[string]string{"hugo.toml": "",
			"content/posts/spam.md":  "---\ntitle: Spam\ndate: 2024-01-01\n---\n" + content + "\n",
			"content/posts/plain.md": "---\ntitle: Plain\ndate: 2024-01-01\n---\nWords.\n"}))
		w.work(r)
		w.change(domain.ImportRunning)
		w.work(r)
		w.wantState(domain.ImportDone)
	}
	imports("[Buy](https://spam.example/)")
	if p := w.post("Spam"); p.Held != domain.HeldForReview {
		t.Errorf("the post with a link is held %q", p.Held)
	}
	if p := w.post("Plain"); p.Held != domain.NotHeld {
		t.Errorf("the post without a link is held %q", p.Held)
	}
	imports("No link.")
	if p := w.post("Spam"); p.Held != domain.NotHeld {
		t.Errorf("the post is held %q after its link was removed", p.Held)
	}
	w.change(domain.ImportUndoing)
	w.work(r)
	w.wantState(domain.ImportUndone)
	if p := w.post("Spam"); p.Held != domain.HeldForReview || !strings.Contains(p.Content, "https://spam.example/") {
		t.Errorf("the restored post with a link is held %q: %s", p.Held, p.Content)
	}
}
