package domain_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/names"
)

// known holds the names of a user and of the site.
var known = []string{"ada-lovelace", "Ada King, Countess of Lovelace", "countess@analytical.example",
	"blog.steam.example"}

func TestNewPasswordThatIsEasyToGuessIsRejected(t *testing.T) {
	for says, passwords := range map[string][]string{
		"easy to guess": {
			"password", "12345678", "PASSWORD", "Passw0rd!", "p@$$w0rd", "password1", "1password1", "!!Password123!!",
			"drowssap", "321drowssap",
			"passwordpassword", "qwertyuiop", "1qaz2wsx", "qazwsxedc", "iloveyou", "letmein1", "Summer2024!",
			"football",
			"trustno1", "Admin@123",
			"aaaaaaaa", "abababab", "abcabcabc", "12341234", "abcdefgh", "87654321", "abcdefgh12345678", "aaaabbbb",
			"19900101", "1990-01-01", "24.12.1987",
			"michelle", "Benjamin7", "dictionary", "a1234567", "p-a-s-s-w-o-r-d", "ｐａｓｓｗｏｒｄ", "m1cr0s0ft", "啊啊啊啊啊啊啊啊",
			"١٢٣٤٥٦٧٨",
		},
		"Don't use your name": {
			"ada-lovelace", "ADA_LOVELACE", "adalovelace", "ada-lovelace1", "ada-lovelace1815", "1815adalovelace!",
			"ecalevol-ada", "4d4-l0v3l4c3",
			"lovelaceada", "Ada King 2024", "countess!99", "kingkingking", "countess@analytical.example", "analytical7",
			"inkfeed1", "Inkfeed2026", "1nkf33d!!",
			"deefkni-ada", "blog.steam.example", "steamsteam", "ada-1815-lovelace", "inkfeed-ada-x",
		},
	} {
		for _, password := range passwords {
			err := domain.CheckNewPassword(password, known...)
			if e, ok := err.(*domain.Error); !ok || e.Kind != domain.Invalid ||
				!strings.Contains(e.Fields["password"].String(), says) {
				t.Errorf("%s: %v, want %q", password, err, says)
			} else if !strings.HasSuffix(e.Fields["password"].String(), domain.PasswordAdvice) {
				t.Errorf("%s: the message gives no advice: %q", password, e.Fields["password"])
			}
		}
	}
}

func TestNewPasswordMayConsistOfSeveralWords(t *testing.T) {
	for _, password := range []string{
		"correct horse", "battery staple", "correct horse battery", "another one entirely", "lantern-garden-violin",
		"x7#kQ9pz", "tr0ub4dor&3", "kd83-xq2v", "849201746391", "73920185620173-ada-5519", "inkfeed-lantern-garden",
		"the engine of ada lovelace weaves", "countess of violins",
		"春眠不觉晓处处闻啼鸟", "密码没有那么简单吧", "سلامة القلب الجميل", "три слона и зонт", "καλημέρα κόσμε μου", "मेरा नाम जोकर है",
		"めいろのなかのねこ",
		"😀🎉🔥🚀🌈🍕🎸📚", strings.Repeat("lantern garden violin ", 9),
	} {
		if err := domain.CheckNewPassword(password, known...); err != nil {
			t.Errorf("%s: %v", password, err)
		}
	}
}

func TestNewPasswordMayContainButNotConsistOfNamesInOtherScripts(t *testing.T) {
	names := []string{"小明", "李 小明"}
	for password, good := range map[string]bool{"小明小明小明小明": false, "小明2024小明19": false, "李小明李小明小明": false,
		"小明喜欢吃红烧肉和鱼": true} {
		if err := domain.CheckNewPassword(password, names...); (err == nil) != good {
			t.Errorf("%s: %v", password, err)
		}
	}
}

func TestUnknownNamesDoNotRejectPasswords(t *testing.T) {
	for _, names := range [][]string{nil, {""}, {"", " ", "@", "."}, {"x", "ab"}} {
		if err := domain.CheckNewPassword("able axe cabin tax", names...); err != nil {
			t.Errorf("%q: %v", names, err)
		}
	}
}

// FuzzNewPassword checks that case makes no difference, and that CheckNewPassword rejects every password that
// CheckPassword rejects.
func FuzzNewPassword(f *testing.F) {
	for _, seed := range []string{"password", "Ada-Lovelace1", "春眠不觉晓处处闻啼鸟", "\xff\xfe", "a\u0301\u0301", "ﷺﷺﷺﷺﷺﷺﷺﷺ"} {
		f.Add(seed, "ada")
	}
	f.Fuzz(func(t *testing.T, password, name string) {
		err := domain.CheckNewPassword(password, name)
		if domain.CheckPassword(password) != nil && err == nil {
			t.Error("CheckNewPassword accepts a password that CheckPassword rejects")
		}
		if again := domain.CheckNewPassword(password, name); (err == nil) != (again == nil) {
			t.Error("the result depends on the case")
		}
	})
}

// BenchmarkNewPassword measures the slowest passwords, which have the maximum length.
func BenchmarkNewPassword(b *testing.B) {
	names := append([]string{strings.Repeat("a", names.MaxUsername), strings.Repeat("ab ", 16)}, known...)
	for name, password := range map[string]string{
		"one word":     "lovingkindness1",
		"signs":        strings.Repeat("1!|7+$5%2x@4({[<3690z", 10)[:domain.MaxPassword],
		"one letter":   strings.Repeat("ab", domain.MaxPassword/2-2) + "xyzq",
		"names":        strings.Repeat("ada", domain.MaxPassword/3),
		"other script": strings.Repeat("密码春眠", domain.MaxPassword/4-1) + "不觉晓处",
		"ligatures":    strings.Repeat("ﷺ", domain.MaxPassword-4) + "密码春眠",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_ = domain.CheckNewPassword(password, names...)
			}
		})
	}
}
