package portable

import "time"

// template reports template code that cannot be translated and returns the text that
// replaces it: the code as it was typed.
func (t *translator) template(what, code, _ string) string {
	t.lose(what + " is not known, and stays in the text; the post is a draft")
	t.holds = true
	return code
}

// hold makes a draft of a post in which template code is left.
func (t *translator) hold(p *Post) {
	if t.holds {
		p.Status, p.Publish = Draft, time.Time{}
	}
}
