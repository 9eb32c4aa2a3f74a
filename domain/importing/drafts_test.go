package importing_test

import (
	"strings"
	"testing"
	"time"
)

func TestPostWithTemplateCodeIsADraftThatKeepsItsAddress(t *testing.T) {
	source := map[string]string{"hugo.toml": "",
		"content/one.md":   "---\ntitle: One\ndate: 2020-01-01\n---\nText {{< tide >}}.\n",
		"content/two.md":   "---\ntitle: Two\ndate: 2020-01-01\n---\nSee [one](/one/).\n",
		"content/three.md": "---\ntitle: Three\ndraft: true\n---\nText {{< tide >}}.\n"}
	m := newStore()
	if dry, err := importFiles(t, m, source, true); err != nil || dry.Drafts != 2 || dry.Redirects != 2 {
		t.Errorf("the dry run counts %+v, %v", dry, err)
	}
	r := mustImport(t, m, source)
	if r.New != 3 || r.Drafts != 2 || r.Redirects != 2 || !reports(r, "one.md: the shortcode tide is not known") {
		t.Fatalf("the report is %+v", r)
	}
	one := m.idOf(t, "One")
	if _, public := m.posts[one]; public || !strings.Contains(m.drafts[one].Content, "{{< tide >}}") {
		t.Errorf("the draft is %+v", m.drafts[one])
	}
	if to := m.redirects["/one"]; to.PostID != one {
		t.Errorf("its address leads to %q", to.PostID)
	}
	if _, there := m.redirects["/three"]; there {
		t.Error("a former draft has an address")
	}
	if r := mustImport(t, m, source); r.Unchanged != 3 || r.Redirects != 0 {
		t.Errorf("the second report is %+v", r)
	}
	t.Run("until its source is corrected", func(t *testing.T) {
		source["content/one.md"] = "---\ntitle: One\ndate: 2020-01-01\n---\nText of the tide.\n"
		if r := mustImport(t, m, source); r.New != 1 || r.Drafts != 0 {
			t.Errorf("the report is %+v", r)
		}
		if p := m.posts[one]; p.Content != "Text of the tide." {
			t.Errorf("the post is %+v", p)
		}
	})
}

func TestScheduleOfADraftFollowsItsSource(t *testing.T) {
	soon, later := time.Now().AddDate(0, 0, 7).UTC().Truncate(time.Second),
		time.Now().AddDate(0, 0, 8).UTC().Truncate(time.Second)
	dated := func(at time.Time, more string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": "---\ntitle: A\ndate: " +
			at.Format(time.RFC3339) + "\n" + more + "---\nText.\n"}
	}
	imported := func(t *testing.T, source map[string]string) (*memoryStore, string) {
		m := newStore()
		mustImport(t, m, source)
		for id := range m.drafts {
			return m, id
		}
		t.Fatal("there is no draft")
		return nil, ""
	}
	for _, c := range []struct {
		name          string
		before, after map[string]string
		want          time.Time
	}{
		{"to another time", dated(soon, ""), dated(later, ""), later},
		{"to no schedule", dated(soon, ""), dated(soon, "draft: true\n"), time.Time{}},
		{"to a schedule", dated(soon, "draft: true\n"), dated(soon, ""), soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, id := imported(t, c.before)
			if r := mustImport(t, m, c.after); r.Changed != 1 {
				t.Errorf("the report is %+v", r)
			}
			if got := m.drafts[id].Publish; !got.Equal(c.want) {
				t.Errorf("the draft is scheduled for %v, want %v", got, c.want)
			}
			if r := mustImport(t, m, c.after); r.Unchanged != 1 {
				t.Errorf("the next import reports %+v", r)
			}
		})
	}
	t.Run("unless its author chose a time here", func(t *testing.T) {
		m, id := imported(t, dated(soon, ""))
		d := m.drafts[id]
		d.Publish = later
		m.drafts[id] = d
		mustImport(t, m, dated(soon, "draft: true\n"))
		if got := m.drafts[id].Publish; !got.Equal(later) {
			t.Errorf("the draft is scheduled for %v, want %v", got, later)
		}
	})
}
