package epk_test

import (
	"encoding/hex"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/value"
)

func TestHash(t *testing.T) {
	for _, tt := range []struct {
		name string
		key  value.Value
		want string
	}{
		{"empty string", value.OfString(""), "32E9366E637A71B4E710384B2F4970A0"},
		{"short string", value.OfString("a"), "3A5381E1114EB8D3FCC90795045B49B7"},
		{"string", value.OfString("customer42"), "19819C94CE42A1654CCC8110539D9589"},
		{"beyond ASCII", value.OfString("é😀"), "1793410ED65BBCC3C76369A6CB1B3043"},
		{"zero", value.OfInt(0), "155B95BEDAC4B1E9EC1CDC9BB0DDDE58"},
		{"integer", value.OfInt(12), "19FD5D8D0EE06FCB7FA8BDD69193DFC3"},
		{"fraction", value.OfFloat(1.5), "35C5DDEB6C795D16A9963C73C54E97BC"},
		{"true", value.OfBool(true), "0E711127C5B5A8E4726AC6DD306A3E59"},
		{"false", value.OfBool(false), "2FE1BE91E90A3439635E0E9E37361EF2"},
		{"null", value.NullValue(), "378867E4430E67857ACE5C908374FE16"},
		{"undefined", value.Value{}, "11622DAA78F835834610ABE56EFF5CB5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := upperHex(epk.Hash([]value.Value{tt.key})); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestMultiHash(t *testing.T) {
	key := []value.Value{value.OfString("a"), value.OfInt(1)}
	const want = "3A5381E1114EB8D3FCC90795045B49B720CD98B339BA78A5D0CF6953B87070B0"
	if got := upperHex(epk.MultiHash(key)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := upperHex(epk.MultiHash(key[:1])); !strings.HasPrefix(want, got) {
		t.Errorf("the prefix %s does not begin %s", got, want)
	}
}

func upperHex(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }
