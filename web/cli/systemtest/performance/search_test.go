package performance

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"inkfeed/domain/sample"
	"inkfeed/web/cli/systemtest/harness"
)

const (
	searches     = 300
	searchRate   = 50 // a second, of all connections together
	searchLength = 5 * time.Second
)

// measureSearch searches for the commonest word and for a rarer one, on one connection and on 32.
func measureSearch(t *testing.T, p *performance) finding {
	server := p.many.serve(t)
	harness.Eventually(t, "the index is complete", func() bool { return server.behind(t) == 0 })
	words, posts := commonWords()
	var details table
	details.row("word", "in posts", "connections", "searches/s", "median", "99th percentile")
	details.row("---", "---:", "---:", "---:", "---:", "---:")
	var common, atOnce load
	for i, word := range words {
		asked := request("/search?q=" + url.QueryEscape(word))
		w := dial(t, server.Address)
		must(t, w, asked)
		var one load
		begin := time.Now()
		for range searches {
			one.took = append(one.took, took(t, w, asked))
		}
		one.length = time.Since(begin)
		many := pace(t, dialAll(t, server.Address, 32), searchRate, searchLength, always(asked))
		for _, l := range []struct {
			connections int
			load
		}{{1, one}, {32, many}} {
			details.row(word, fmt.Sprint(posts[word]), fmt.Sprint(l.connections), fmt.Sprintf("%.0f", l.perSecond()),
				milliseconds(l.quantile(0.5)), milliseconds(l.quantile(0.99)))
		}
		if i == 0 {
			common, atOnce = one, many
		}
	}
	server.profile(t, func(length time.Duration) {
		hammer(t, dialAll(t, server.Address, 1), length, always(request("/search?q="+url.QueryEscape(words[0]))))
	})
	median, slowest := common.quantile(0.5), atOnce.quantile(0.99)
	return finding{measured: fmt.Sprintf("%s; 99th percentile of 32 connections %s", milliseconds(median),
		milliseconds(slowest)), holds: median <= 3*time.Millisecond && slowest <= 15*time.Millisecond,
		details: details.String()}
}

// commonWords returns the word that most of the posts of the large blog have and one that a tenth has, and in how many
// posts each is.
func commonWords() (words []string, posts map[string]int) {
	posts = make(map[string]int)
	all := 0
	for p := range sample.New(1, manyUsers, sample.Today()).Posts() {
		all++
		seen := make(map[string]bool)
		for word := range strings.FieldsFuncSeq(strings.ToLower(p.Content), notLetter) {
			if len(word) >= 4 && !seen[word] {
				seen[word] = true
				posts[word]++
			}
		}
	}
	for _, share := range []int{1, 10} {
		most := ""
		for word, n := range posts {
			if n <= all/share && (n > posts[most] || n == posts[most] && word < most) {
				most = word
			}
		}
		words = append(words, most)
	}
	return words, posts
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }
