package formats

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/blogger"
	"inkfeed/domain/portable/export"
	"inkfeed/domain/portable/folder"
	"inkfeed/domain/portable/ghost"
	"inkfeed/domain/portable/medium"
	"inkfeed/domain/portable/substack"
	"inkfeed/domain/portable/tumblr"
	"inkfeed/domain/portable/wordpress"
	"inkfeed/domain/portable/writefreely"
)

// exports are the blogs in the files of an export. Only one of them is imported.
type exports struct {
	files *portable.Files
	o     portable.Options
	now   time.Time
	found []found
	// format is that of an export that is a folder, or empty.
	format string
	left   []leftFiles
}

// found is a blog in an export, with the files that have its posts.
type found struct {
	portable.Part
	names []string
}

// leftFiles are the files that were left out for one reason.
type leftFiles struct {
	why   error
	names []string // the first ones, at most mostNamed
	count int
}

// Limits of the report on other files.
const (
	mostNamed   = 10  // files left out for one reason
	mostReasons = 100 // further ones count as the last
)

// errNoExport is the reason why most other files of an export are left out.
var errNoExport = portable.NewFault(locale.M("files that are not part of a known export"), nil)

// recognise reads the blog with the most posts in an export, and reports all other files that may have posts.
func recognise(files *portable.Files, o portable.Options, now time.Time) (*portable.Blog, error) {
	e := &exports{files: files, o: o, now: now}
	if name, ok := files.Shallowest(export.FileName); ok {
		blog, err := export.ReadFile(files, name)
		if err == nil {
			e.found = []found{{blog, []string{name}}}
			for _, other := range files.Paths {
				if isExport(other) && other != name {
					e.leave(other, errNoExport)
				}
			}
			return e.choose(), nil
		} else if !errors.Is(err, export.ErrNotExport) {
			return nil, err
		}
	}
	for _, reader := range []func(*portable.Files, time.Time) (*portable.Blog, error){
		substack.ReadFolder, medium.ReadFolder, tumblr.ReadFolder,
	} {
		if blog, err := reader(files, now); err != nil {
			return nil, err
		} else if blog != nil {
			e.found = append(e.found, found{blog, []string{"posts"}})
			e.format = blog.Format
			e.leaveTables()
			break
		}
	}
	var texts []string
	for _, name := range files.Paths {
		if portable.IsText(name) {
			texts = append(texts, name)
		} else if isExport(name) {
			e.read(name)
		}
	}
	if len(texts) > 0 {
		blog, err := folder.Read(files, o, now)
		if len(e.found) == 0 {
			return blog, err // the other files belong to the site
		}
		if err == nil && len(blog.Posts) > 0 {
			e.found = append(e.found, found{blog, texts})
		} else {
			for _, name := range texts {
				e.leave(name, cmp.Or(err, errNoExport))
			}
		}
	}
	if len(e.found) > 0 {
		return e.choose(), nil
	}
	for _, left := range e.left {
		if left.why != errNoExport {
			return nil, fmt.Errorf("%s: %w", left.names[0], left.why)
		}
	}
	if blog, err := writefreely.ReadTexts(files, now); blog != nil || err != nil {
		return blog, err
	}
	if folder.HasOtherTexts(files) { // whose report names them
		return folder.Read(files, o, now)
	}
	return nil, ErrUnknown
}

// leaveTables records the tables of further exports of Substack, whose posts are not read.
func (e *exports) leaveTables() {
	first, ok := e.files.Shallowest(substack.PostsTable)
	for _, name := range e.files.ByName[substack.PostsTable] {
		if ok && name != first {
			e.leave(name, errNoExport)
		}
	}
}

// isExport reports whether a file has the extension of an export in one file, or of a zip within an export.
func isExport(name string) bool {
	return slices.Contains([]string{".xml", ".wxr", ".atom", ".json", ".zip"}, strings.ToLower(path.Ext(name)))
}

// read reads a file that may be an export, or a part of one.
func (e *exports) read(name string) {
	var part portable.Part
	ending, err := strings.ToLower(path.Ext(name)), errNoExport
	switch base := path.Base(name); {
	case e.format == "Tumblr" && (base == "posts.xml" || base == "posts.zip"): // it was read
		return
	case ending == ".zip", strings.Count(name, "/") > 2 && ending != ".atom": // Takeout's feeds are in deeper folders
	case ending == ".json":
		part, err = readJSON(e.files, name, e.now)
	default:
		part, err = readXML(e.files, name, e.o, e.now)
	}
	if err != nil {
		e.leave(name, err)
		return
	}
	for i := range e.found {
		if e.found[i].Join(part) {
			e.found[i].names = append(e.found[i].names, name)
			return
		}
	}
	e.found = append(e.found, found{part, []string{name}})
}

// leave records that a file is left out.
func (e *exports) leave(name string, why error) {
	i := slices.IndexFunc(e.left, func(l leftFiles) bool { return l.why.Error() == why.Error() })
	if i < 0 {
		if i = len(e.left); i == mostReasons {
			why, i = errNoExport, i-1
		} else {
			e.left = append(e.left, leftFiles{why: why})
		}
	}
	if e.left[i].count++; len(e.left[i].names) < mostNamed {
		e.left[i].names = append(e.left[i].names, name)
	}
}

// choose returns the blog with the most posts and reports the others.
func (e *exports) choose() *portable.Blog {
	var best found
	var chosen *portable.Blog
	var others []portable.Problem
	for _, f := range e.found {
		blog := f.Finish()
		if len(f.names) > 1 {
			blog.KeepLatest()
		}
		loser, of := blog, f
		if chosen == nil || len(blog.Posts) > len(chosen.Posts) {
			loser, of, chosen, best = chosen, best, blog, f
		}
		if loser != nil {
			others = append(others, portable.NewProblem("", "another blog was left out, which can be imported on its "+
				"own: %s (%d, such as %s)", portable.Reason(loser.Format), len(of.names), firstOf(of.names)))
		}
	}
	for _, left := range e.left {
		others = append(others, portable.NewProblem("", "left out: %s (%d, such as %s)", left.why, left.count,
			firstOf(left.names)))
	}
	chosen.Problems = append(others, chosen.Problems...)
	return chosen
}

// firstOf returns the first of some names as a text.
func firstOf(names []string) string { return strings.Join(names[:min(len(names), mostNamed)], ", ") }

// readXML reads a file of WordPress, Blogger or Tumblr.
func readXML(files *portable.Files, name string, o portable.Options, now time.Time) (portable.Part, error) {
	file, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r := bufio.NewReaderSize(portable.DecodeXML(io.LimitReader(file, portable.MaxDocument)), 1<<16)
	head, _ := r.Peek(4 << 10) // also if the file is shorter
	var part portable.Part
	switch m := rootElement.FindSubmatch(head); {
	case m != nil && string(m[1]) == "feed":
		part, err = blogger.ReadXML(r, files, now)
	case m != nil && string(m[1]) == "tumblr":
		part, err = tumblr.ReadXML(r, files)
	default:
		part, err = wordpress.ReadXML(r, files, o, now)
	}
	return part, err
}

// rootElement matches the first element of an XML document.
var rootElement = regexp.MustCompile(`<([A-Za-z][\w:.-]*)`)

// readJSON reads a file of Ghost or WriteFreely.
func readJSON(files *portable.Files, name string, now time.Time) (portable.Part, error) {
	body, err := files.ReadJSON(name)
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		if blog := writefreely.ReadList(body, files, now); blog != nil {
			return blog, nil
		}
		return nil, errNoExport
	}
	var whole struct {
		DB []struct {
			Data ghost.Data `json:"data"`
		} `json:"db"`
		Data        *ghost.Data       `json:"data"`
		Collections json.RawMessage   `json:"collections"`
		Posts       []json.RawMessage `json:"posts"`
	}
	if err := json.Unmarshal(body, &whole); err != nil {
		return nil, portable.NewFault(locale.M("it is not valid JSON"), err)
	}
	switch {
	case len(whole.DB) > 0:
		return ghost.ReadData(whole.DB[0].Data, files, now), nil
	case whole.Data != nil && whole.Data.Posts != nil:
		return ghost.ReadData(*whole.Data, files, now), nil
	case whole.Collections != nil || len(whole.Posts) > 0 && strings.Contains(string(whole.Posts[0]), `"body"`):
		var data writefreely.Data
		if err := json.Unmarshal(body, &data); err != nil {
			return nil, portable.InvalidExport("WriteFreely", err)
		}
		return writefreely.ReadData(data, files, now), nil
	}
	return nil, errNoExport
}
