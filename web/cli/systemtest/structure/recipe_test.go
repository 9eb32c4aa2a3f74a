package structure

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheRecipesWork follows the steps of recipes in a copy of the tree, and runs their commands. It compiles the tests
// of the whole site.
func TestTheRecipesWork(t *testing.T) {
	if os.Getenv("INKFEED_EXHAUSTIVE") == "" {
		t.Skip("set INKFEED_EXHAUSTIVE to compile a copy of the site")
	}
	document, err := os.ReadFile("docs/CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		title                  string
		files, edits, commands int
	}{{"Add a page", 3, 6, 6}, {"Add a field to posts", 1, 7, 2}} {
		t.Run(c.title, func(t *testing.T) {
			_, section, _ := strings.Cut(string(document), "## "+c.title+"\n")
			section, _, _ = strings.Cut(section, "\n## ")
			r := &recipe{t: t, folder: copyOfTree(t)}
			for _, step := range regexp.MustCompile(`(?m)^\d+\. `).Split(section, -1)[1:] {
				if !strings.Contains(step, "Only if ") {
					r.follow(step)
				}
			}
			if r.files != c.files || r.edits != c.edits || r.commands != c.commands {
				t.Errorf("the recipe has %d files, %d edits and %d commands", r.files, r.edits, r.commands)
			}
		})
	}
}

// recipe is a recipe that is followed in a copy of the tree.
type recipe struct {
	t                      *testing.T
	folder, output         string // output is that of the last command
	files, edits, commands int
}

var (
	block       = regexp.MustCompile("(?s)\n   ```\\w*\n(.*?)\n   ```")
	instruction = regexp.MustCompile("Create\\s+`([^`]+)` in\\s+`([^`]+)`|[Rr]un `([^`]+)`|\n       (\\S.*)|" +
		"such as\\s+`([^`]+)`|Add `([^`]+)` to\\s+(?:the list )?`(\\w+)`\\s+in\\s+`([^`]+)`|" +
		"Add a line to (the table|each)[^`]+`([^`]+)`|at the end of (?:`([^`]+)`\\s+in\\s+)?`([^`]+\\.[^`]+)`")
)

// follow does what a step says.
func (r *recipe) follow(step string) {
	var code string
	if found := block.FindStringSubmatch(step); found != nil {
		code = strings.ReplaceAll("\n"+found[1], "\n   ", "\n")[1:] + "\n"
	}
	step = block.ReplaceAllString(step, "")
	for _, m := range instruction.FindAllStringSubmatch(step, -1) {
		switch {
		case m[1] != "":
			r.write(filepath.Join(m[2], m[1]), code)
			r.files++
		case m[3]+m[4] != "":
			r.run(m[3] + m[4])
		case m[5] != "" && !strings.Contains(r.output, m[5]):
			r.t.Errorf("the output lacks %q: %s", m[5], r.output)
		case m[7] == "Register":
			r.replace(m[8], "\n\treturn ", "\n\t"+m[6]+"\n\treturn ")
		case m[7] != "":
			r.replace(m[8], m[7]+" = [", m[7]+" = [\n    "+m[6]+",")
		case m[12] != "":
			r.insert(m[12], m[11], code)
		case m[9] == "the table":
			r.replace(m[10], "\nGET / ", "\n"+code+"GET / ")
		case m[9] == "each":
			for _, language := range []string{"cs", "fr", "tr"} {
				r.replace(strings.Replace(m[10], "cs", language, 1), "{\n", "{\n"+code)
			}
		}
	}
}

func (r *recipe) write(file, text string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.folder, file), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// replace replaces the first occurrence of a text in a file.
func (r *recipe) replace(file, former, text string) {
	r.t.Helper()
	found, err := os.ReadFile(filepath.Join(r.folder, file))
	if err != nil || !bytes.Contains(found, []byte(former)) {
		r.t.Fatalf("%s has no %q: %v", file, former, err)
	}
	r.write(file, strings.Replace(string(found), former, text, 1))
	r.edits++
}

// insert inserts code at the end of a declaration of a file or, without one, at the end of the file.
func (r *recipe) insert(file, declaration, code string) {
	r.t.Helper()
	found, err := os.ReadFile(filepath.Join(r.folder, file))
	if err != nil {
		r.t.Fatal(err)
	}
	before, after, ok := strings.Cut(string(found), "\n"+declaration)
	end := strings.Index(after, "\n}\n")
	if declaration == "" {
		r.write(file, string(found)+code)
	} else if !ok || end < 0 {
		r.t.Fatalf("%s has no %q", file, declaration)
	} else {
		r.write(file, before+"\n"+declaration+after[:end+1]+code+after[end+1:])
	}
	r.edits++
}

func (r *recipe) run(command string) {
	r.t.Helper()
	run := exec.Command("sh", "-c", command)
	// Without paths of the temporary folder, the results of the compiler are found again.
	run.Dir, run.Env = r.folder, append(os.Environ(), "GOFLAGS=-trimpath", "INKFEED_EXHAUSTIVE=")
	output, err := run.CombinedOutput()
	r.output = string(output)
	if r.commands++; err != nil || strings.Contains(r.output, "no tests to run") {
		r.t.Errorf("%s: %v\n%s", command, err, output)
	}
}

// copyOfTree copies the files that Git tracks, as they are now.
func copyOfTree(t *testing.T) string {
	t.Helper()
	names, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("this is not a Git repository: ", err)
	}
	folder := t.TempDir()
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted, but not committed yet
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o777)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
