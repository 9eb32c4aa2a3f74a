package templates

import (
	"cmp"
	"html"
	"path"
	"regexp"
	"strings"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
	"inkfeed/domain/portable/frontmatter"
	"inkfeed/domain/portable/markup"
)

var liquidParam = regexp.MustCompile(`([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([\w.\[\]-]+))`)

// include returns the text for a tag that includes a file: the evaluated file or, if that is not possible, the picture
// or content that the parameters describe.
func (l *liquid) include(k liquidToken, name, rest string) (string, bool) {
	args := make(map[string]string)
	for _, m := range liquidParam.FindAllStringSubmatch(rest, -1) {
		value := m[2] + m[3]
		if m[4] != "" {
			var ok bool
			if value, ok = l.evaluate(m[4]); !ok {
				return "", false
			}
		}
		args[m[1]] = value
	}
	folder := path.Join(l.page.Site.Root, cmp.Or(l.page.Site.Config.Text("includes_dir"), "_includes"))
	if k.tag == "include_relative" {
		folder = path.Dir(l.page.File)
	}
	inHTML := l.params == nil && l.inHTML(k.Start)
	if text, ok := l.expand(folder+"/"+strings.Trim(name, `"'`), args); ok {
		if markup.BlockElement.MatchString(text) && !(inHTML && !strings.Contains(text, "\n\n")) {
			text = markup.Block(text)
		}
		return text, true
	}
	for _, key := range []string{"url", "src", "image_path", "image", "file", "path", "img"} {
		if src := args[key]; portable.IsImage(src) {
			if inHTML {
				return pictureTag(src, args["alt"], args["caption"]), true
			}
			if args["caption"] != "" {
				return markup.Figure(src, args["alt"], args["caption"]), true
			}
			return markup.Picture(src, args["alt"], ""), true
		}
	}
	kind := strings.ToLower(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	switch kind {
	case "gallery":
		if text, ok := l.listedGallery(args, inHTML); ok {
			return text, true
		}
	case "toc", "table-of-contents":
		l.RecordLoss(locale.M("the include {name} was left out", "name", name))
		return "", true
	case "video":
		if provider := strings.ToLower(args["provider"]); provider != "" {
			kind = provider
		}
	}
	for _, site := range []string{"youtube", "vimeo"} {
		if strings.Contains(kind, site) {
			kind = site
		}
	}
	for _, key := range []string{"id", "video", "video_id", "videoId", "url", "src"} {
		if to := markup.EmbedAddress(kind, args[key], ""); to != "" {
			if inHTML {
				t := html.EscapeString(to)
				l.EmbedLink(to)
				return `<a href="` + t + `">` + t + `</a>`, true
			}
			return l.EmbedLink(to), true
		}
	}
	return "", false
}

// expand evaluates an included file. It fails unless it understands all Liquid in the file.
func (l *liquid) expand(name string, args map[string]string) (string, bool) {
	if l.depth >= maxLiquidDepth || *l.budget <= 0 || strings.Contains(name, "..") {
		return "", false
	}
	body, err := l.page.Site.Files.ReadText(path.Clean(name), maxLayout)
	if err != nil {
		return "", false
	}
	_, source, err := frontmatter.Split(string(body))
	if err != nil {
		return "", false
	}
	if source = markup.FigureMarks.Replace(source); strings.HasPrefix(strings.TrimSpace(source), "<") {
		source = compactHTML(source)
	}
	inner := &liquid{Translator: l.Translator, page: l.page, source: source, list: liquidTokens(source), vars: l.vars,
		params: args, depth: l.depth, budget: l.budget}
	text := strings.TrimSpace(inner.run(0, len(source), 0, len(inner.list)))
	if !l.budget.spend(len(source)+len(text)) || inner.failed {
		return "", false
	}
	if markup.BlockElement.MatchString(text) && !strings.Contains(source, "markdownify") {
		text = compactHTML(text)
	}
	return text, true
}

// maxHTMLBefore is the number of bytes before a position that are searched for the tag that begins its block.
const maxHTMLBefore = 4 << 10

// inHTML reports whether a position is in a block of HTML, in which Markdown is not read.
func (l *liquid) inHTML(at int) bool {
	paragraph := l.source[max(0, at-maxHTMLBefore):at]
	if i := strings.LastIndex(paragraph, "\n\n"); i >= 0 {
		paragraph = paragraph[i:]
	}
	for line := range strings.Lines(paragraph) {
		if line = strings.TrimLeft(line, " \t"); strings.HasPrefix(line, "<") && markup.BlockElement.MatchString(line) {
			return true
		}
	}
	return false
}

// pictureTag returns a picture as HTML, with its caption if there is one.
func pictureTag(src, alt, caption string) string {
	tag := `<img src="` + html.EscapeString(src) + `" alt="` + html.EscapeString(alt) + `">`
	if caption == "" {
		return tag
	}
	return "<figure>" + tag + "<figcaption>" + html.EscapeString(caption) + "</figcaption></figure>"
}
