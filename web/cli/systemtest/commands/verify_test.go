package commands

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web/cli"
	"inkfeed/web/cli/systemtest/harness"
)

func TestVerifyReportsViolationsAndFails(t *testing.T) {
	t.Parallel()
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	if out := harness.RunCommand(t, env, "verify"); !strings.Contains(out, "RU") {
		t.Errorf("verify does not print the request units: %s", out)
	}
	tags := 0
	post := changeNewestPost(t, env, func(store *cosmos.Store, postID string) error {
		p, err := store.Posts.Get(t.Context(), postID)
		if err != nil {
			return err
		}
		tags = len(p.Tags.List())
		return store.Posts.SetAuthorName(t.Context(), postID, postID, domain.Author{Name: "somebody"})
	})

	var stdout, stderr bytes.Buffer
	getenv := func(name string) string { return env[name] }
	err := cli.Run(t.Context(), []string{"verify"}, getenv, &stdout, &stderr)
	// The post has the wrong name. Its copies in users, in feed and under each tag have an earlier version.
	want := fmt.Sprintf("%d violations in", 3+tags)
	if tags == 0 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it (the post has %d tags)", err, want, tags)
	}
	if want := "usernames are current: post " + post; !strings.Contains(stdout.String(), want) {
		t.Errorf("verify does not print %q:\n%s", want, stdout.String())
	}
	if stderr.Len() != 0 { // no progress bar without a terminal
		t.Errorf("verify prints on stderr: %q", stderr.String())
	}
	harness.Verify(t, env, "--wait") // the projectors repair the damage
}

// changeNewestPost changes the newest post of a blog and returns its ID.
func changeNewestPost(
	t *testing.T, env map[string]string, change func(store *cosmos.Store, postID string) error,
) string {
	t.Helper()
	store, closeStore := harness.OpenStore(t, env)
	defer closeStore()
	page, err := store.Feed.FrontPage(t.Context(), 1)
	if err == nil {
		err = change(store, page.Items[0].PostID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return page.Items[0].PostID
}
