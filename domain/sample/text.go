package sample

import (
	"embed"
	"math/rand/v2"
	"path"
	"strings"
	"sync"

	"inkfeed/domain"
)

// texts has the names of the users, and a file for each subject that they write about. A file is a list of themes, and
// a theme is a list of blocks: the heading with tags and titles, paragraphs of a post, and talks about it. A line with
// a dot stands for an empty line within a block.
//
//go:embed texts/*.txt
var texts embed.FS

// theme is what a post, or a section of one, can be about.
type theme struct {
	heading string
	tags    string   // separated by commas; the first one is the subject
	titles  []string // of posts that begin with the theme
	about   []string // its nouns, for titles of the general patterns
	// paragraphs are independent of each other. They can be in any order.
	paragraphs []string
	talks      [][]remark
}

// remark is a comment of a talk. It is by the reader who began it (?), by the author of the post (!) or by another
// reader (+).
type remark struct {
	by   byte
	text string
}

// subject has the themes of a subject. The general subject has themes that can end any post, and patterns of titles.
type subject []theme

// general is the name of the general subject.
const general = "general"

// library is all texts, read once.
var library = sync.OnceValue(func() (l struct {
	firstNames, lastNames, biographies []string
	names                              []string // of the subjects, except for the general one
	subjects                           map[string]subject
}) {
	files, _ := texts.ReadDir("texts") // embedded, so it exists
	l.subjects = make(map[string]subject)
	for _, f := range files {
		body, _ := texts.ReadFile(path.Join("texts", f.Name()))
		name := strings.TrimSuffix(f.Name(), ".txt")
		switch blocks := strings.Split(strings.TrimSpace(string(body)), "\n\n"); name {
		case "users":
			l.firstNames, l.lastNames = strings.Fields(blocks[0]), strings.Fields(blocks[1])
			l.biographies = strings.Split(blocks[2], "\n")
		case general:
			l.subjects[name] = readSubject(name, blocks)
		default:
			l.names, l.subjects[name] = append(l.names, name), readSubject(name, blocks)
		}
	}
	return l
})

func readSubject(name string, blocks []string) (s subject) {
	for _, block := range blocks {
		if heading, ok := strings.CutPrefix(block, "== "); ok {
			s = append(s, theme{tags: name})
			readHeading(&s[len(s)-1], heading)
			continue
		}
		t := &s[len(s)-1]
		if !strings.HasPrefix(block, "? ") {
			t.paragraphs = append(t.paragraphs, strings.ReplaceAll(block, "\n.\n", "\n\n"))
			continue
		}
		var talk []remark
		for line := range strings.SplitSeq(block, "\n") {
			talk = append(talk, remark{line[0], line[2:]})
		}
		t.talks = append(t.talks, talk)
	}
	return s
}

func readHeading(t *theme, block string) {
	lines := strings.Split(block, "\n")
	t.heading = lines[0]
	for _, line := range lines[1:] {
		switch key, value, _ := strings.Cut(line, ": "); key {
		case "tags":
			t.tags += ", " + value
		case "about":
			t.about = strings.Split(value, "; ")
		case "title":
			t.titles = append(t.titles, value)
		}
	}
}

// title returns a title for a post on the theme.
func (t theme) title(random *rand.Rand) string {
	if random.IntN(2) == 0 {
		return pick(random, t.titles)
	}
	title := strings.ReplaceAll(pick(random, library().subjects[general][0].titles), "{x}", pick(random, t.about))
	return strings.ToUpper(title[:1]) + title[1:]
}

// tagged returns the tags of a post on the theme: the subject and some of the others.
func (t theme) tagged(random *rand.Rand) domain.Tags {
	names := strings.Split(t.tags, ",")
	tags, _ := domain.CleanTags(strings.Join(names[:1+random.IntN(len(names))], ","))
	return tags
}

// article returns Markdown of 60 to 2,500 words that begins with a theme of a subject.
func article(random *rand.Rand, s subject, first int) string {
	order := random.Perm(len(s[first].paragraphs))
	switch length := random.IntN(20); {
	case length < 3:
		return s[first].section(order[:1])
	case length < 8:
		return s[first].section(order[:between(random, 2, 3)])
	case length < 13:
		return s[first].section(order)
	}
	sections := []string{s[first].section(order)}
	for _, i := range random.Perm(len(s))[:between(random, 2, len(s))*between(random, 1, 2)/2] {
		if i != first {
			sections = append(sections, "## "+s[i].heading+"\n\n"+s[i].section(random.Perm(len(s[i].paragraphs))))
		}
	}
	if last := pick(random, library().subjects[general]); random.IntN(2) == 0 {
		sections = append(sections, "## "+last.heading+"\n\n"+last.section(random.Perm(len(last.paragraphs))))
	}
	return strings.Join(sections, "\n\n")
}

func (t theme) section(order []int) string {
	paragraphs := make([]string, len(order))
	for i, n := range order {
		paragraphs[i] = t.paragraphs[n]
	}
	return strings.Join(paragraphs, "\n\n")
}

// talks returns talks about a post in random order: those on its theme, then general ones.
func talks(random *rand.Rand, t theme) (list [][]remark) {
	for _, talks := range [][][]remark{t.talks, library().subjects[general][0].talks} {
		for _, i := range random.Perm(len(talks)) {
			list = append(list, talks[i])
		}
	}
	return list
}
