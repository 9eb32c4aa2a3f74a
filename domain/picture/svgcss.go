package picture

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"

	"inkfeed/domain/throttle"
)

// reference is a declaration that draws the element with an id. Its kind says how often, such as drawnOnce.
type reference struct {
	kind int
	id   string
}

// svgRule is a rule of a style sheet. For each selector it has a subject, which all matching elements have in common:
// their name, a class as ".a", an id as "#a", or "*".
type svgRule struct {
	subjects []string
	refers   []reference
}

// cssCleaner writes CSS in a normal form: flat rules, declarations of allowed properties, and url(#id) as the only
// address. It drops everything else, escapes too, so a browser follows exactly the references that it collects.
type cssCleaner struct {
	sheet strings.Builder // complete rules, as text
	rules []svgRule       // complete rules
	level int             // of braces; declarations are at level 1

	selectors    string          // of the rule that is being read, or "" if they are not allowed
	declarations strings.Builder // of that rule
	rule         svgRule

	statement strings.Builder // the selectors or declaration being read
	ids       []string        // of its references
	open      int             // its open parentheses
	refused   bool            // it has a token that is not allowed
}

// cleanCSS reads a style sheet at level 0, or declarations at level 1.
func cleanCSS(turn *throttle.Turn, source string, level int) *cssCleaner {
	c := &cssCleaner{level: level}
	lexer := css.NewLexer(parse.NewInputString(source))
	for {
		turn.Yield()
		token, data := lexer.Next()
		switch token {
		default:
			c.refused = c.refused || !c.add(token, string(data))
			continue
		case css.LeftBraceToken:
			if c.level++; c.level == 1 {
				c.beginRule()
			}
		case css.SemicolonToken, css.RightBraceToken, css.ErrorToken:
			if c.level == 1 {
				c.declare()
			}
			if token == css.ErrorToken {
				return c
			}
			if token == css.RightBraceToken && c.level > 0 {
				if c.level--; c.level == 0 {
					c.endRule()
				}
			}
		}
		c.statement.Reset()
		c.ids, c.open, c.refused = nil, 0, false
	}
}

// add adds a token to the statement and reports whether it is allowed.
func (c *cssCleaner) add(token css.TokenType, data string) bool {
	switch token {
	case css.WhitespaceToken, css.CommentToken, css.CDOToken, css.CDCToken:
		data = " "
	case css.URLToken:
		_, address, _ := strings.Cut(data, "(")
		id := localID(strings.TrimSuffix(address, ")"))
		if data = " none "; id != "" {
			c.ids, data = append(c.ids, id), " url(#"+id+") "
		}
	case css.StringToken:
		if len(data) == 1 || !strings.HasSuffix(data, data[:1]) {
			return false
		}
	case css.FunctionToken:
		if c.open++; !slices.Contains(cssFunctions, strings.ToLower(data)) {
			return false
		}
	case css.LeftParenthesisToken:
		c.open++
	case css.RightParenthesisToken:
		c.open--
	case css.IdentToken, css.HashToken, css.ColonToken, css.CommaToken, css.NumberToken, css.PercentageToken,
		css.DimensionToken, css.CustomPropertyNameToken, css.DelimToken:
	default:
		return false
	}
	if strings.HasSuffix(c.statement.String(), " ") {
		data = strings.TrimPrefix(data, " ")
	}
	c.statement.WriteString(data)
	return c.open >= 0 && !strings.Contains(data, `\`)
}

// text returns the statement, or "" if it is not allowed.
func (c *cssCleaner) text() string {
	if c.refused || c.open != 0 {
		return ""
	}
	return strings.Trim(c.statement.String(), " ")
}

// cssSelector matches a selector and its subject: how the part after the last combinator begins.
var cssSelector = regexp.MustCompile(`^(?:[\w.#*:>+~ \x{80}-\x{10ffff}-]*[>+~ ])?` +
	`([.#]?[\w\x{80}-\x{10ffff}-]+|[*:])[\w.#*:\x{80}-\x{10ffff}-]*$`)

func (c *cssCleaner) beginRule() {
	c.selectors, c.rule = c.text(), svgRule{}
	c.declarations.Reset()
	for selector := range strings.SplitSeq(c.selectors, ",") {
		m := cssSelector.FindStringSubmatch(strings.Trim(selector, " "))
		if m == nil {
			c.selectors = ""
			return
		}
		c.rule.subjects = append(c.rule.subjects, strings.Replace(m[1], ":", "*", 1))
	}
}

func (c *cssCleaner) endRule() {
	if c.selectors != "" && c.declarations.Len() > 0 {
		c.sheet.WriteString(c.selectors + "{" + c.declarations.String() + "}")
		c.rules = append(c.rules, c.rule)
	}
}

func (c *cssCleaner) declare() {
	property, value, _ := strings.Cut(c.text(), ":")
	property, value = strings.ToLower(strings.TrimRight(property, " ")), strings.TrimLeft(value, " ")
	kind := drawnBy[property]
	// With "inherit", each element would draw the mask of its parent once more.
	inherits := kind == drawnOnce && strings.Contains(strings.ToLower(value), "inherit")
	if value == "" || inherits || !slices.Contains(svgAttributes, property) {
		return
	}
	c.declarations.WriteString(property + ":" + value + ";")
	for _, id := range c.ids {
		c.rule.refers = append(c.rule.refers, reference{kind, id})
	}
}

// svgID matches ids that are written alike in ids, addresses and CSS.
var svgID = regexp.MustCompile(`^[\w.:\x{80}-\x{fffc}\x{10000}-\x{10ffff}-]+$`)

// localID returns the id in an address within the document, or "" for any other address.
func localID(address string) string {
	fragment, ok := strings.CutPrefix(strings.Trim(address, cssSpace+`"'`), "#")
	if id, err := url.PathUnescape(fragment); ok && err == nil && svgID.MatchString(id) {
		return id
	}
	return ""
}

const cssSpace = " \t\r\n\f"

// cssFunctions are the allowed functions. None makes an address of a text.
var cssFunctions = strings.Fields(`rgb( rgba( hsl( hsla( hwb( lab( lch( oklab( oklch( color( color-mix( light-dark(
	var( calc( min( max( clamp( matrix( translate( translatex( translatey( scale( scalex( scaley( rotate( skewx( skewy(
	circle( ellipse( inset( polygon(`)

// svgElements are the elements that draw. Filters and animations can keep a browser busy.
var svgElements = strings.Fields(`
	svg g defs symbol use switch style title desc path rect circle ellipse line polyline polygon text tspan textPath
	linearGradient radialGradient stop pattern clipPath mask marker`)

// svgAttributes are the allowed attributes and properties of CSS.
var svgAttributes = strings.Fields(`
	id class role aria-label transform x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy fr width height viewBox
	preserveAspectRatio d points pathLength rotate textLength lengthAdjust startOffset offset gradientUnits
	gradientTransform spreadMethod patternUnits patternContentUnits patternTransform clipPathUnits maskUnits
	maskContentUnits markerWidth markerHeight markerUnits refX refY orient version type requiredFeatures
	systemLanguage fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin
	stroke-miterlimit stroke-dasharray stroke-dashoffset color opacity display visibility overflow clip-path
	clip-rule mask marker marker-start marker-mid marker-end font-family font-size font-style font-weight
	font-variant font-stretch text-anchor text-decoration text-rendering dominant-baseline alignment-baseline
	baseline-shift letter-spacing word-spacing writing-mode direction unicode-bidi stop-color stop-opacity
	color-interpolation shape-rendering image-rendering vector-effect paint-order lang font font-kerning
	font-feature-settings font-variant-caps font-variant-ligatures line-height white-space text-align text-transform
	background-color isolation mask-type mix-blend-mode transform-box transform-origin`)
