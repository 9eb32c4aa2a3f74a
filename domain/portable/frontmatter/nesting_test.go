package frontmatter_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"inkfeed/domain/portable/frontmatter"
)

// stair returns a part once, indented once, indented twice, and so on.
func stair(part string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(strings.Repeat(" ", i) + part + "\n")
	}
	return b.String()
}

// allocated returns the bytes that a function allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Deep texts come before deeper ones, because reading the latter without a limit could end the process.
func TestDeepFrontMatterTakesBoundedMemory(t *testing.T) {
	const size = frontmatter.MaxBytes - 100
	for _, fence := range []string{"---", "+++"} {
		for _, text := range []string{
			"a: %s[", "a: %s[a, [", "a: %s{a: ", "%s- ", "%s-\t", "%s? ", "- %s[[], ", `a: %s["]", `, "a: %s[']', ",
			"a: %s[#]\n ", "%s- - - - -\n", "a: %s&a ", "%s!a ", "%s!!map ", "%s: ", "a%s: a", "%sa.", "[%sa.",
			"[[%sa.", "a=%s[", "a=%s{a=", "a=%s{a.a.a=", "a=%s{'a}'=", "a=%s[\n{a=", "a.\"b\".%s'c'.", "a=%s{\"\"=",
			"a=%s[#]\n", "a=%s[\"\"\"]\"\"\",", `a=%s["\"]",`,
		} {
			for _, n := range []int{1 << 10, size / 4, size} {
				head, part, _ := strings.Cut(text, "%s")
				text := head + strings.Repeat(part, n/len(part))
				if head == "" && fence == "+++" {
					text += "a=1"
				}
				if strings.HasPrefix(head, "[") {
					text += "a" + strings.Repeat("]", strings.Count(head, "["))
				}
				used := allocated(func() { _, _, _ = frontmatter.Split(fence + "\n" + text + "\n" + fence + "\n") })
				if most := 600 * uint64(len(text)); used > most {
					t.Fatalf("%s: reading %d bytes of %q allocates %d", fence, n, part, used)
				}
			}
		}
	}
	for _, part := range []string{"a:", "-", "?", "- -"} {
		text := "---\n" + stair(part, size) + "---\n"
		if used := allocated(func() { _, _, _ = frontmatter.Split(text) }); used > 200*uint64(len(text)) {
			t.Errorf("reading indented %q allocates %d", part, used)
		}
	}
}

func TestFrontMatterOfUsualDepthIsRead(t *testing.T) {
	list := strings.Repeat("\n  - '[[a.b]]' # [", 500)
	for _, text := range []string{
		"---\na:" + list + "\nb: {c: [[1, 2], [3, {d: [4]}]]}\n---\n",
		"---\na: " + strings.Repeat("[", 99) + strings.Repeat("]", 99) + "\n---\n",
		"---\na: >\n " + strings.Repeat("b [c {d - e ? ", 500) + "\n---\n",
		"---\nb: |\n " + strings.Repeat("[", 500) + "\na: 1\n---\n",
		"+++\na = \"" + strings.Repeat("b.c [ { \\\" ", 500) + "\"\n+++\n",
		"+++\na = '''\n" + strings.Repeat("b.c [ { ''\n", 500) + "'''\n# " + strings.Repeat("[.", 500) + "\n+++\n",
		"+++\na = [" + strings.Repeat("1.5, ", 500) + "]\n" +
			strings.Repeat("[[b.c]]\nd.e.f = {g.h = 1, i.j = 2}\n", 500) +
			"+++\n",
		"{\n\"a\": " + fmt.Sprint(strings.Repeat("[", 99), strings.Repeat("]", 99)) + "}\n",
	} {
		if m, _, err := frontmatter.Split(text + "Text.\n"); err != nil || m["a"] == nil {
			t.Errorf("%.60q: %v, error %v", text, m["a"], err)
		}
	}
}

func TestLongJSONFrontMatterTakesBoundedMemory(t *testing.T) {
	text := "{\n\"a\": [" + strings.Repeat("0,", 1<<20) + "0]}\n"
	used := allocated(func() {
		if _, _, err := frontmatter.Split(text); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("error %v, want that it is too long", err)
		}
	})
	if used > 16*frontmatter.MaxBytes+4*uint64(len(text)) {
		t.Errorf("reading %d bytes allocates %d", len(text), used)
	}
}
