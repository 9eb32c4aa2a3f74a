package factor_test

import (
	"bytes"
	"image/png"
	"testing"
	"time"

	"inkfeed/web/factor"
)

// rfc is the secret of the test vectors of RFC 6238. The codes are cut to six digits.
var rfc = []byte("12345678901234567890")

func TestTOTPCodes(t *testing.T) {
	t.Run("match those of RFC 6238", func(t *testing.T) {
		for at, code := range map[int64]string{
			59:          "287082",
			1111111109:  "081804",
			1111111111:  "050471",
			1234567890:  "005924",
			2000000000:  "279037",
			20000000000: "353130",
		} {
			if step, ok := factor.MatchTOTP(rfc, code, time.Unix(at, 0), 0); !ok || step != at/30 {
				t.Errorf("%s at %d: step %d, %t", code, at, step, ok)
			}
		}
	})
	t.Run("match one step earlier and later", func(t *testing.T) {
		for late, want := range map[int64]bool{
			-61: false,
			-60: false,
			-30: true,
			-1:  true,
			0:   true,
			29:  true,
			30:  true,
			59:  true,
			60:  false,
		} {
			if _, ok := factor.MatchTOTP(rfc, "050471", time.Unix(1111111110+late, 0), 0); ok != want {
				t.Errorf("%d s later, the match is %t, want %t", late, ok, want)
			}
		}
	})
	t.Run("match only after the last used step", func(t *testing.T) {
		now, step := time.Unix(1111111111, 0), int64(1111111111/30)
		for last, want := range map[int64]bool{step - 1: true, step: false, step + 1: false, step + 2: false} {
			if _, ok := factor.MatchTOTP(rfc, "050471", now, last); ok != want {
				t.Errorf("after step %d, the match is %t, want %t", last, ok, want)
			}
		}
	})
	t.Run("match with separators as apps show them", func(t *testing.T) {
		for code, want := range map[string]bool{
			"050 471":    true,
			" 050471\n":  true,
			"050-471":    true,
			"50471":      false,
			"0504710":    false,
			"":           false,
			"05047a":     false,
			"050471\x00": false,
			"٠٥٠٤٧١":     false,
		} {
			if _, ok := factor.MatchTOTP(rfc, code, time.Unix(1111111111, 0), 0); ok != want {
				t.Errorf("%q: the match is %t, want %t", code, ok, want)
			}
		}
	})
	t.Run("do not match another secret", func(t *testing.T) {
		if _, ok := factor.MatchTOTP(factor.NewTOTPSecret(), "050471", time.Unix(1111111111, 0), 0); ok {
			t.Error("the code matches another secret") // or this was the one case in 300,000
		}
	})
}

func TestTOTPAddressAndQRCode(t *testing.T) {
	want := "otpauth://totp/Ink%20feed:ada@x?algorithm=SHA1&digits=6&issuer=Ink%20feed&period=30&" +
		"secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
	if got := factor.TOTPURL(rfc, "Ink feed", "ada@x"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := factor.FormatTOTPSecret(rfc), "GEZD GNBV GY3T QOJQ GEZD GNBV GY3T QOJQ"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	picture, err := factor.TOTPQRCode(factor.TOTPURL(factor.NewTOTPSecret(), "Inkfeed", "ada"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Error(err)
	}
}

func FuzzTOTPStep(f *testing.F) {
	f.Add("050471", int64(1111111111), int64(0))
	f.Add("٠٥٠٤٧١ --", int64(-5), int64(1<<62))
	f.Fuzz(func(t *testing.T, code string, at, last int64) {
		step, ok := factor.MatchTOTP(rfc, code, time.Unix(at, 0), last)
		if ok && (step <= last || step < at/30-1 || step > at/30+1) {
			t.Errorf("step %d at %d after %d", step, at/30, last)
		}
	})
}
