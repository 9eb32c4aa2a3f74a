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

func TestVerifyTellsWhatIsWrongAndFails(t *testing.T) {
	env := map[string]string{"INKFEED_DATA": t.TempDir()}
	harness.RunCommand(t, env, "seed", "--users", "1")
	if out := harness.RunCommand(t, env, "verify"); !strings.Contains(out, "RU") {
		t.Errorf("it does not say what it cost: %s", out)
	}
	tags := 0
	post := onFrontPage(t, env, func(store *cosmos.Store, postID string) error {
		p, err := store.Posts.Get(t.Context(), postID)
		if err != nil {
			return err
		}
		tags = len(p.Tags.List())
		return store.Posts.SetAuthorName(t.Context(), postID, postID, domain.Author{Name: "somebody"})
	})

	var stdout, stderr bytes.Buffer
	err := cli.Run(t.Context(), []string{"verify"}, func(name string) string { return env[name] }, &stdout, &stderr)
	// The post, and its copies in users, in feed and under each tag, which are of an
	// earlier version.
	if want := fmt.Sprintf("%d violations in", 3+tags); tags == 0 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v", err)
	}
	if want := "usernames are current: post " + post; !strings.Contains(stdout.String(), want) {
		t.Errorf("it does not say %q:\n%s", want, stdout.String())
	}
	if stderr.Len() != 0 { // no bar where there is no terminal
		t.Errorf("on stderr: %q", stderr.String())
	}
	harness.Verify(t, env, "--wait") // the workers put right what can be
}

// onFrontPage changes the newest post of a blog and returns its id.
func onFrontPage(t *testing.T, env map[string]string, change func(store *cosmos.Store, postID string) error) string {
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
