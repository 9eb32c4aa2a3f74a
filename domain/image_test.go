package domain_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/yuin/goldmark"

	"inkfeed/domain"
)

const aHash = "abcdefghijkmnpqrstuvwxyz23"

func TestImageName(t *testing.T) {
	t.Run("is parsed from its text", func(t *testing.T) {
		for _, name := range []string{aHash + "-1x1.png", aHash + "-2560x1707.jpg", aHash + "-100x20000.gif", aHash +
			"-40x20.svg"} {
			n, ok := domain.ParseImageName(name)
			if !ok || n.String() != name {
				t.Errorf("%s gives %v, %v", name, n, ok)
			}
			if again, ok := domain.ParseImagePath(n.Path()); !ok || again != n {
				t.Errorf("%s gives %v, %v", n.Path(), again, ok)
			}
		}
	})
	t.Run("is not parsed from any other text", func(t *testing.T) {
		for _, name := range []string{"", aHash, aHash + ".jpg", aHash + "-0x5.jpg", aHash + "-5x-5.jpg", aHash +
			"-05x5.jpg",
			aHash + "-5x5.webp", aHash + "-5x5.JPG", aHash + "-5x5.jpg ", aHash + "-+5x5.jpg", "short-5x5.jpg", "../" +
				aHash + "-5x5.jpg",
			aHash + "-5x5.480.jpg", aHash + "-99999999999999999999x5.jpg", strings.ToUpper(aHash) + "-5x5.jpg"} {
			if n, ok := domain.ParseImageName(name); ok {
				t.Errorf("%q gives %v", name, n)
			}
		}
		for _, path := range []string{"/media/", "media/" + aHash + "-5x5.jpg", "https://elsewhere/media/" + aHash +
			"-5x5.jpg",
			"/media/" + aHash + "-5x5.jpg?x", "/media/" + aHash + "-1000x5.480.jpg"} {
			if n, ok := domain.ParseImagePath(path); ok {
				t.Errorf("%q gives %v", path, n)
			}
		}
	})
	t.Run("follows from the owner and the content", func(t *testing.T) {
		name := func(user, content string) string {
			return domain.NewImageName(user, []byte(content), 2, 3, "png").String()
		}
		same := name("u.a", "bc")
		if same != name("u.a", "bc") {
			t.Error("the same picture has two names")
		}
		if same == name("u.ab", "c") || same == name("u.b", "bc") || same == name("u.a", "bd") {
			t.Error("two pictures have one name")
		}
		if _, ok := domain.ParseImageName(same); !ok {
			t.Errorf("%s is not a valid name", same)
		}
	})
}

func TestVariantsAreNarrowerThanThePicture(t *testing.T) {
	for _, c := range []struct {
		name   string
		widths []int
		srcset string
	}{
		{aHash + "-240x300.jpg", nil, ""},
		{aHash + "-481x300.jpg", []int{240, 480}, "/media/" + aHash + "-481x300.240.jpg 240w, /media/" + aHash +
			"-481x300.480.jpg 480w, /media/" + aHash + "-481x300.jpg 481w"},
		{aHash + "-2560x100.png", []int{240, 480, 960, 1600}, "/media/" + aHash + "-2560x100.240.png 240w, " +
			"/media/" + aHash + "-2560x100.480.png 480w, /media/" + aHash + "-2560x100.960.png 960w, /media/" +
			aHash + "-2560x100.1600.png 1600w, /media/" + aHash + "-2560x100.png 2560w"},
		{aHash + "-2000x100.gif", nil, ""},
	} {
		n, ok := domain.ParseImageName(c.name)
		if !ok || !slices.Equal(n.Variants(), c.widths) || n.SrcSet() != c.srcset {
			t.Errorf("%s: widths %v, srcset %q, want %v, %q", c.name, n.Variants(), n.SrcSet(), c.widths, c.srcset)
		}
		seen, owner := n.Files()[:len(n.Files())-1], n.Files()[len(n.Files())-1]
		for _, file := range seen {
			if of, ok := domain.ParseImageFile(file); !ok || of != n {
				t.Errorf("%s belongs to %v, %v", file, of, ok)
			}
		}
		if of, ok := domain.ParseOwnerFile(owner); !ok || of != n {
			t.Errorf("%s is the owner's file of %v, %v", owner, of, ok)
		}
		if of, ok := domain.ParseImageFile(owner); ok {
			t.Errorf("%s belongs to %v, but must not be served", owner, of)
		}
	}
	t.Run("are replaced by the next wider one if they do not exist", func(t *testing.T) {
		n, _ := domain.ParseImageName(aHash + "-500x100.png")
		for file, want := range map[string]string{n.Variant(240): n.Variant(480), n.Variant(480): n.String(),
			n.String(): ""} {
			if wider, ok := n.NextWider(file); wider != want || ok != (want != "") {
				t.Errorf("after %s comes %q, %t", file, wider, ok)
			}
		}
	})
	t.Run("have no other widths", func(t *testing.T) {
		for _, file := range []string{aHash + "-2560x100.481.png", aHash + "-400x100.480.png", aHash +
			"-480x100.480.png",
			aHash + "-2000x100.480.gif", aHash + "-2560x100.0480.png", aHash + "-2560x100.480.480.png", aHash +
				"-2560x100..png",
			aHash + "-2560x100.480.jpg.png", ""} {
			if n, ok := domain.ParseImageFile(file); ok {
				t.Errorf("%q belongs to %v", file, n)
			}
		}
	})
	t.Run("keep the picture's proportions", func(t *testing.T) {
		n, _ := domain.ParseImageName(aHash + "-2560x1707.jpg")
		if n.VariantHeight(960) != 640 {
			t.Errorf("the variant of 960 pixels has height %d", n.VariantHeight(960))
		}
		thin, _ := domain.ParseImageName(aHash + "-2560x1.jpg")
		if thin.VariantHeight(480) != 1 {
			t.Errorf("the variant of 480 pixels has height %d", thin.VariantHeight(480))
		}
	})
}

func TestAlternativeText(t *testing.T) {
	t.Run("is reduced to one line", func(t *testing.T) {
		alt, err := domain.CleanAlt(" A cat\n on\ta mat ")
		if err != nil || alt != "A cat on a mat" {
			t.Errorf("got %q, error %v", alt, err)
		}
	})
	t.Run("may be empty", func(t *testing.T) {
		if alt, err := domain.CleanAlt(" \n"); err != nil || alt != "" {
			t.Errorf("got %q, error %v", alt, err)
		}
	})
	t.Run("has a maximum length", func(t *testing.T) {
		if _, err := domain.CleanAlt(strings.Repeat("x", domain.MaxAlt)); err != nil {
			t.Error(err)
		}
		if _, err := domain.CleanAlt(strings.Repeat("x", domain.MaxAlt+1)); !domain.Is(err, domain.Invalid) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("is rendered as it was typed", func(t *testing.T) {
		n, _ := domain.ParseImageName(aHash + "-5x5.jpg")
		for _, alt := range []string{"plain", "2*3*4 = 24", "a_b_c", `\o/ [x](y) ] ![`, "`code` <b>&amp;</b>", "~~no~~",
			"$x$ :smile:", "日本 שלום"} {
			var html bytes.Buffer
			if err := goldmark.Convert([]byte(domain.Image{Name: n, Alt: alt}.Markdown()), &html); err != nil {
				t.Fatal(err)
			}
			doc, err := goquery.NewDocumentFromReader(&html)
			if err != nil {
				t.Fatal(err)
			}
			if got := doc.Find("img").AttrOr("alt", "no image"); got != alt {
				t.Errorf("%q becomes %q", alt, got)
			}
		}
	})
}
