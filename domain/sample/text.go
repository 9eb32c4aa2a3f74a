package sample

import (
	_ "embed" // for the texts
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"

	"inkfeed/domain"
)

//go:embed texts.yaml
var texts []byte

// theme is what a post, or a section of one, can be about.
type theme struct {
	Heading    string
	Tags       []string   // the first one is the subject
	Titles     []string   // of posts that begin with the theme
	About      []string   // its nouns, for the titles of the library
	Paragraphs []string   // independent of each other, so they can be in any order
	Talks      [][]string // about a post on the theme
}

// library is all texts. A remark of a talk begins with its author: the reader who began the talk (?), the author of the
// post (!) or another reader (+).
type library struct {
	FirstNames, LastNames, Biographies []string
	Titles                             []string // patterns
	Talks                              [][]string
	Endings                            []theme // of long posts
	Subjects                           map[string][]theme
}

var readLibrary = sync.OnceValue(func() (l library) {
	if err := yaml.Unmarshal(texts, &l); err != nil {
		panic(err) // the texts are part of the program
	}
	return l
})

// title returns a title for a post on the theme.
func (t theme) title(random *rand.Rand) string {
	if random.IntN(2) == 0 {
		return pick(random, t.Titles)
	}
	title := strings.ReplaceAll(pick(random, readLibrary().Titles), "{x}", pick(random, t.About))
	return strings.ToUpper(title[:1]) + title[1:]
}

// tagged returns the tags of a post on the theme: the subject and some of the others.
func (t theme) tagged(random *rand.Rand) domain.Tags {
	tags, _ := domain.CleanTags(strings.Join(t.Tags[:between(random, 1, len(t.Tags))], ","))
	return tags
}

// article returns Markdown of 60 to 2,500 words that begins with one of the themes of a subject.
func article(random *rand.Rand, s []theme, first int) string {
	switch length := random.IntN(20); {
	case length < 3:
		return s[first].section(random, 1)
	case length < 8:
		return s[first].section(random, between(random, 2, 3))
	case length < 13:
		return s[first].section(random, len(s[first].Paragraphs))
	}
	rest := []theme{pick(random, readLibrary().Endings)}
	for _, i := range random.Perm(len(s))[:between(random, 1, len(s))*between(random, 1, 3)/3] {
		if i != first {
			rest = append(rest, s[i])
		}
	}
	text := s[first].section(random, len(s[first].Paragraphs))
	for _, t := range slices.Backward(rest) {
		text += "\n\n## " + t.Heading + "\n\n" + t.section(random, len(t.Paragraphs))
	}
	return text
}

// section returns a number of the theme's paragraphs in random order.
func (t theme) section(random *rand.Rand, paragraphs int) string {
	return strings.Join(shuffled(random, t.Paragraphs)[:paragraphs], "\n\n")
}

// talks returns talks about a post in random order: those on its theme, then general ones.
func (t theme) talks(random *rand.Rand) [][]string {
	return append(shuffled(random, t.Talks), shuffled(random, readLibrary().Talks)...)
}
