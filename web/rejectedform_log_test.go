package web_test

import (
	"strings"
	"testing"

	"inkfeed/web/webtest"
)

func TestRejectedFormIsLoggedWithItsReason(t *testing.T) {
	s := webtest.NewSite(t)
	s.SignUp("Takenname")
	v := s.SignUp("ada")
	rejected := func() string {
		log := s.Log.String()
		at := strings.LastIndex(log, `msg="form rejected"`)
		if at < 0 {
			t.Fatalf("the log has no rejected form:\n%s", log)
		}
		line, _, _ := strings.Cut(log[at:], "\n")
		return line
	}
	post := v.CreatePost("A title", "A text")
	for name, test := range map[string]struct {
		path   string
		fields []string
		status int
		want   []string // parts of the log line
	}{
		"a comment without text": {"/posts/" + post.ID + "/comments", []string{"content", " "}, 422,
			[]string{
				"kind=invalid", `fields="content: The comment can't be empty."`, "status=422",
				"route=/posts/:id/comments", "request_id=",
			}},
		"a long comment": {"/posts/" + post.ID + "/comments", []string{"content", strings.Repeat("y", 10001)}, 422,
			[]string{`fields="content: The comment has 10,001 characters. Use at most 10,000."`}},
		"a taken username": {"/settings/username", []string{"username", "Takenname"}, 422,
			[]string{
				"kind=invalid", `fields="username: The username … is taken."`, "status=422",
				"route=/settings/username",
			}},
		"a reply to a deleted comment": {"/posts/" + post.ID + "/comments",
			[]string{"content", "Typedtext", "parent", post.ID}, 409,
			[]string{"kind=conflict", `reason="The comment you are replying to was deleted.`, "status=409"}},
	} {
		t.Run(name, func(t *testing.T) {
			v.Post(test.path, test.fields...).Want(test.status)
			line := rejected()
			for _, want := range test.want {
				if !strings.Contains(line, want) {
					t.Errorf("the log lacks %q: %s", want, line)
				}
			}
			for i := 1; i < len(test.fields); i += 2 {
				if typed := test.fields[i]; typed != " " && typed != post.ID && strings.Contains(line, typed) {
					t.Errorf("the log has %q, typed by the user: %s", typed, line)
				}
			}
		})
	}
}
