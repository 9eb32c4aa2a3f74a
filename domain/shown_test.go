package domain_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/siteinfo"
)

// unseenTexts are texts of which a reader sees nothing.
var unseenTexts = map[string]string{
	"nothing":                         "",
	"white space":                     " \t\n\u00a0\u3000\u2003",
	"a zero-width space":              "\u200b",
	"joiners":                         "\u200c\u200d",
	"a word joiner":                   "\u2060",
	"a byte order mark":               "\ufeff",
	"soft hyphens":                    "\u00ad\u00ad",
	"directions":                      "\u200e\u200f\u061c\u202e\u2066",
	"a Hangul filler":                 "\u3164",
	"Hangul fillers between spaces":   " \u115f \u1160 \uffa0 ",
	"a Braille blank":                 "\u2800",
	"tags of the tags block":          "\U000e0001\U000e0061\U000e007f",
	"variation selectors":             "\ufe0f\U000e0100\u180b",
	"combining marks alone":           "\u0301\u0489\u20dd\u093e",
	"a mark on an invisible letter":   "\u3164\u0301",
	"a Mongolian vowel separator":     "\u180e",
	"invisible operators":             "\u2061\u2062\u2063",
	"a grapheme joiner":               "\u034f",
	"vowels of Khmer without a shape": "\u17b4\u17b5",
	"Egyptian blanks":                 "\U00013441\U00013442",
	"a note without a head":           "\U0001d159",
	"controls":                        "\x00\x07\x1b\u0085",
	"noncharacters":                   "\ufdd0\uffff",
	"a line separator":                "\u2028\u2029",
}

// mustBeSeen clean the texts that readers must see, and return what is stored. Required texts are refused if they are
// empty; of the others nothing is stored.
var mustBeSeen = map[string]struct {
	required bool
	clean    func(text string) (stored string, err error)
}{
	"the title of a post": {true, func(s string) (string, error) {
		title, _, err := domain.CleanPost(s, "Text.")
		return title, err
	}},
	"the text of a post": {true, func(s string) (string, error) {
		_, content, err := domain.CleanPost("Title", s)
		return content, err
	}},
	"the title of an edit": {true, func(s string) (string, error) {
		e, err := domain.NewEdit("p", 1, s, "Text.", time.Now())
		return e.Title, err
	}},
	"a comment": {true, func(s string) (string, error) {
		c, err := domain.NewComment(domain.User{}, "p", s, time.Now())
		return c.Content, err
	}},
	"a reply": {true, func(s string) (string, error) {
		c, err := domain.NewReply(domain.User{}, domain.Comment{}, s, time.Now())
		return c.Content, err
	}},
	"an edited comment": {true, func(s string) (string, error) {
		e, err := domain.NewCommentEdit(domain.Comment{}, s, time.Now())
		return e.Content, err
	}},
	"a username":                {true, domain.CleanUsername},
	"a reason":                  {true, domain.CleanReason},
	"the name of a passkey":     {true, domain.CleanPasskeyName},
	"the path of a static page": {true, domain.CleanPagePath},
	"the text of a report": {true, func(s string) (string, error) {
		r, err := domain.NewReport(domain.User{}, string(domain.ReasonOther), s, time.Now())
		return r.Text, err
	}},
	"the text of a report with a reason": {false, func(s string) (string, error) {
		r, err := domain.NewReport(domain.User{}, string(domain.ReasonSpam), s, time.Now())
		return r.Text, err
	}},
	"the message about a hidden text": {false, func(s string) (string, error) {
		why, err := domain.HidingReason(string(domain.ReasonOther), s)
		return strings.TrimPrefix(why, domain.ReasonOther.String()), err
	}},
	"tags": {false, func(s string) (string, error) {
		tags, err := domain.CleanTags(s)
		return string(tags), err
	}},
	"a tag among others": {false, func(s string) (string, error) {
		tags, err := domain.CleanTags("go," + s)
		return strings.TrimPrefix(string(tags), "go"), err
	}},
	"the title of a series": {false, func(s string) (string, error) {
		d, err := domain.Details{Series: s}.Clean()
		return d.Series, err
	}},
	"the title of a series with a part": {true, func(s string) (string, error) {
		d, err := domain.Details{Series: s, SeriesPart: "1"}.Clean()
		return d.Series, err
	}},
	"the description of a cover": {false, func(s string) (string, error) {
		d, err := domain.Details{CoverAlt: s}.Clean()
		return d.CoverAlt, err
	}},
	"the description of a picture": {false, domain.CleanAlt},
	"a biography": {false, func(s string) (string, error) {
		p, err := domain.CleanProfile(domain.Profile{Bio: s})
		return p.Bio, err
	}},
	"the title of a blog": {false, func(s string) (string, error) {
		p, err := domain.CleanProfile(domain.Profile{BlogTitle: s})
		return p.BlogTitle, err
	}},
	"the label of a profile's link": {true, func(s string) (string, error) {
		p := domain.Profile{}
		p.Links[0] = siteinfo.Link{Label: s, Address: "https://example.org/"}
		p, err := domain.CleanProfile(p)
		return p.Links[0].Label, err
	}},
	"the name of a site": {false, func(s string) (string, error) {
		i, err := domain.CleanInfo(siteinfo.Info{Name: s})
		return i.Name, err
	}},
	"the tagline of a site": {false, func(s string) (string, error) {
		i, err := domain.CleanInfo(siteinfo.Info{Tagline: s})
		return i.Tagline, err
	}},
	"the description of a site": {false, func(s string) (string, error) {
		i, err := domain.CleanInfo(siteinfo.Info{Description: s})
		return i.Description, err
	}},
	"the footer of a site": {false, func(s string) (string, error) {
		i, err := domain.CleanInfo(siteinfo.Info{Footer: s})
		return i.Footer, err
	}},
	"the label of a site's link": {true, func(s string) (string, error) {
		i := siteinfo.Info{}
		i.Links[0] = siteinfo.Link{Label: s, Address: "/about"}
		i, err := domain.CleanInfo(i)
		return i.Links[0].Label, err
	}},
	"the label of a static page": {false, func(s string) (string, error) {
		p, err := domain.CleanPage(siteinfo.StaticPage{Path: "/about", Label: s})
		return p.Label, err
	}},
	"the note of an invitation": {false, func(s string) (string, error) {
		i, err := domain.NewInvitation(domain.User{}, 1, 1, s, time.Now())
		return i.Note, err
	}},
}

func TestATextThatNobodySeesIsEmpty(t *testing.T) {
	for field, f := range mustBeSeen {
		for what, text := range unseenTexts {
			stored, err := f.clean(text)
			switch {
			case f.required && !domain.Is(err, domain.Invalid):
				t.Errorf("%s of %s (%+q) is accepted as %+q, error %v", field, what, text, stored, err)
			case !f.required && (err != nil || stored != ""):
				t.Errorf("%s of %s (%+q) is stored as %+q, error %v", field, what, text, stored, err)
			}
		}
	}
	for what, text := range unseenTexts {
		if stored, err := domain.CleanDisplayName(text); stored != "" && !domain.Is(err, domain.Invalid) {
			t.Errorf("a display name of %s (%+q) is stored as %+q, error %v", what, text, stored, err)
		}
	}
}

func TestEntitiesOfMarkdownCountAsTheirCharacters(t *testing.T) {
	for _, text := range []string{"&#8203;", "&nbsp;\n\n&ZeroWidthSpace;", "&#x3164;", "&shy;"} {
		if _, _, err := domain.CleanPost("Title", text); !domain.Is(err, domain.Invalid) {
			t.Errorf("the post %q is accepted, error %v", text, err)
		}
		if _, err := domain.NewComment(domain.User{}, "p", text, time.Now()); !domain.Is(err, domain.Invalid) {
			t.Errorf("the comment %q is accepted, error %v", text, err)
		}
		if _, _, err := domain.CleanPost("What "+text+" means", "&amp;"); err != nil {
			t.Errorf("a title that names %q is refused: %v", text, err)
		}
	}
}

func TestShortTextsInAnyScriptAreSeen(t *testing.T) {
	for _, text := range []string{"a", ".", "?", "界", "ᄀ", "ㄱ", "ب", "\u06dd", "का", "❤\ufe0f", "1\ufe0f\u20e3",
		"🏴\U000e0067\U000e007f",
		"👩\u200d💻", "\u200fא", "e\u0301", "⠁", "—", "\U000130c0", "\u200ba"} {
		if !plaintext.Shown(text) {
			t.Errorf("%q (%+q) counts as empty", text, text)
		}
		if _, _, err := domain.CleanPost(text, text); err != nil {
			t.Errorf("%q (%+q) is refused: %v", text, text, err)
		}
	}
}
