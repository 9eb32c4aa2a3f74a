package portable

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

var (
	liquidRaw       = regexp.MustCompile(`(?s)\{%-?\s*raw\s*-?%\}(.*?)\{%-?\s*endraw\s*-?%\}`)
	liquidComment   = regexp.MustCompile(`(?s)\{%-?\s*comment\s*-?%\}.*?\{%-?\s*endcomment\s*-?%\}`)
	liquidHighlight = regexp.MustCompile(`(?s)\{%-?\s*highlight\s+([\w+#-]+)[^%]*-?%\}\n?(.*?)\n?\{%-?\s*endhighlight\s*-?%\}`)
	liquidTag       = regexp.MustCompile(`\{%-?\s*(\w+)\s*([^%\n]*?)\s*-?%\}`)
	liquidValue     = regexp.MustCompile(`\{\{-?\s*([^{}\n]*?)\s*-?\}\}`)
	liquidQuoted    = regexp.MustCompile(`^["']([^"']*)["']\s*\|`)
	liquidArgument  = regexp.MustCompile(`([\w-]+)\s*=\s*["']([^"']*)["']`)
	kramdown        = regexp.MustCompile(`(?m)(^[ \t]*[*+-] TOC[ \t]*\n)?\{::?[ \t]*[^}\n]*\}[ \t]*`)
)

// jekyll translates Liquid and kramdown's attributes.
func (t *translator) jekyll(source, title string) string {
	var kept []string
	keep := func(text string) string {
		kept = append(kept, text)
		return fmt.Sprintf("\x00%d\x00", len(kept)-1)
	}
	source = strings.ReplaceAll(source, "\x00", "")
	source = liquidRaw.ReplaceAllStringFunc(source, func(s string) string { return keep(liquidRaw.FindStringSubmatch(s)[1]) })
	source = liquidComment.ReplaceAllString(source, "")
	source = liquidHighlight.ReplaceAllStringFunc(source, func(s string) string {
		m := liquidHighlight.FindStringSubmatch(s)
		return keep(fenced(m[1], m[2]))
	})
	source = liquidTag.ReplaceAllStringFunc(source, func(s string) string {
		m := liquidTag.FindStringSubmatch(s)
		return t.liquidTag(s, m[1], strings.TrimSpace(m[2]))
	})
	source = setApart(source)
	source = liquidValue.ReplaceAllStringFunc(source, func(s string) string {
		value := liquidValue.FindStringSubmatch(s)[1]
		name, _, _ := strings.Cut(value, "|")
		switch strings.TrimSpace(name) {
		case "site.baseurl", "site.url", "page.root", "site.github.url":
			return ""
		case "page.title":
			return title
		}
		if m := liquidQuoted.FindStringSubmatch(value); m != nil {
			return m[1]
		}
		t.lose("the value {{ " + value + " }} stands there as it was typed")
		return s
	})
	if strings.Contains(source, "{:") {
		code := parse(source).code
		var edits []edit
		for _, m := range kramdown.FindAllStringIndex(source, -1) {
			if !within(code, m[0]) {
				edits = append(edits, edit{span{m[0], m[1]}, ""})
			}
		}
		source = apply(source, edits)
	}
	for i, text := range kept {
		source = strings.Replace(source, fmt.Sprintf("\x00%d\x00", i), text, 1)
	}
	return source
}

// liquidTag translates one tag; s is what it stands as.
func (t *translator) liquidTag(s, name, rest string) string {
	first, _, _ := strings.Cut(rest, " ")
	switch name {
	case "post_url":
		return "/_posts/" + first + ".md"
	case "link":
		return "/" + strings.TrimPrefix(first, "/")
	case "gist":
		return t.embedded("https://gist.github.com/" + first)
	case "include", "include_relative":
		args := make(map[string]string)
		for _, m := range liquidArgument.FindAllStringSubmatch(rest, -1) {
			args[m[1]] = m[2]
		}
		for _, key := range []string{"url", "src", "image_path", "image", "file", "path", "img"} {
			if src := args[key]; IsImage(src) {
				if args["caption"] != "" {
					return figure(src, args["alt"], args["caption"])
				}
				return picture(src, args["alt"], "")
			}
		}
		for _, key := range []string{"id", "video", "video_id", "url"} {
			if to := embedding(strings.ToLower(path.Base(first)), args[key], ""); to != "" {
				return t.embedded(to)
			}
		}
	}
	if to := embedding(name, first, ""); to != "" {
		return t.embedded(to)
	}
	t.lose("the tag {% " + name + " %} stands there as it was typed")
	return s
}
