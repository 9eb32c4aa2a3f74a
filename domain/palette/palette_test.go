package palette

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func TestEveryColourBecomesReadable(t *testing.T) {
	const seed = 1
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, seed))
	colours := []string{"#000000", "#ffffff", "#808080", "#ffff00", "#00ff00", "#ff0000", "#0000ff", "#1b4b86",
		"#fbfaf6"}
	for range 500 {
		colours = append(colours, fmt.Sprintf("#%06x", random.IntN(1<<24)))
	}
	for _, colour := range colours {
		p, err := Of(colour)
		if err != nil {
			t.Fatal(err)
		}
		for scheme, backgrounds := range map[Scheme][]string{p.Light: lightBackgrounds, p.Dark: darkBackgrounds} {
			for _, background := range backgrounds {
				if c := Contrast(scheme.Accent, background); c < MinContrast {
					t.Errorf("%s became %s, whose contrast with %s is %.2f", colour, scheme.Accent, background, c)
				}
			}
			if c := Contrast(scheme.OnAccent, scheme.Accent); c < MinContrast {
				t.Errorf("%s: text on %s has the contrast %.2f", colour, scheme.Accent, c)
			}
		}
	}
}

func TestBackgroundsAreThoseOfTheStyleSheet(t *testing.T) {
	css, err := os.ReadFile("../../static/styles/01-tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	for i, property := range []string{"--paper", "--tint", "--mark"} {
		want := fmt.Sprintf("%s: light-dark(%s, %s);", property, lightBackgrounds[i], darkBackgrounds[i])
		if !strings.Contains(string(css), want) {
			t.Errorf("the style sheet lacks %s", want)
		}
	}
}

func TestReadableColoursStay(t *testing.T) {
	p, err := Of("#1b4b86")
	if err != nil || p.Light.Accent != "#1b4b86" {
		t.Errorf("the light accent is %s, %v", p.Light.Accent, err)
	}
	if p.Fits("#1b4b86") {
		t.Error("a dark blue fits the dark scheme")
	}
	if css := p.CSS(); !strings.Contains(css, "--accent:light-dark(#1b4b86,") {
		t.Error(css)
	}
}

func TestBrowsersWithoutLightDarkHaveTheLightAccent(t *testing.T) {
	p, err := Of("#1b4b86")
	if err != nil {
		t.Fatal(err)
	}
	plain, both, _ := strings.Cut(p.CSS(), "@supports (color:light-dark(#000,#fff))")
	if !strings.Contains(plain, "--accent:#1b4b86;--on-accent:#ffffff;") || strings.Contains(plain, "light-dark") {
		t.Errorf("for all browsers: %s", plain)
	}
	if !strings.Contains(both, "--accent:light-dark(#1b4b86,") || !strings.Contains(both, "--on-accent:light-dark(") {
		t.Errorf("for those with light-dark(): %s", both)
	}
}

func TestPaperKeepsItsOwnColours(t *testing.T) {
	p, err := Of("#1b4b86")
	if err != nil {
		t.Fatal(err)
	}
	depth := 0
	for i, part := range strings.SplitAfter(strings.TrimSpace(p.CSS()), "{") {
		if i > 0 && depth < 1 || i == 0 && part != "@media screen{" {
			t.Errorf("a rule is not for screens only: %s", p.CSS())
		}
		depth += strings.Count(part, "{") - strings.Count(part, "}")
	}
	if depth != 0 {
		t.Errorf("%d braces are open: %s", depth, p.CSS())
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want float64
	}{{"#000000", "#ffffff", 21}, {"#ffffff", "#ffffff", 1}, {"#767676", "#ffffff", 4.54}, {"red", "#ffffff", 0}} {
		if got := Contrast(c.a, c.b); got < c.want-0.01 || got > c.want+0.01 {
			t.Errorf("the contrast of %s and %s is %.2f, want %.2f", c.a, c.b, got, c.want)
		}
	}
}

func TestColoursAreNormalised(t *testing.T) {
	for typed, want := range map[string]string{"#1B4B86": "#1b4b86", "abc": "#aabbcc", " #FFF ": "#ffffff", "blue": "",
		"": "", "#12345g": "", "#1b4b86ff": "", "#1b4b86;}": ""} {
		if got, err := Normalise(typed); got != want || (err == nil) != (want != "") {
			t.Errorf("%q became %q, %v", typed, got, err)
		}
	}
}
