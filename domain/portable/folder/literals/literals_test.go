package literals

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestLiteralsOfProgramsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		read         func(string) map[string]any
		source, want string
	}{
		"from an object of CommonJS": {JavaScript, "const x = require('y');\nmodule.exports = { a: 'b', c: [1, " +
			"true,], };",
			`{"a":"b","c":[1,true]}`},
		"from a module": {JavaScript, "export default {\n// it's\n\"a-b\": `x`, /* } */ n: { m: null " +
			"} }", `{"a-b":"x","n":{"m":""}}`},
		"from a defined object": {JavaScript,
			`export default defineConfig({ site: "https://a.example", x: [y()] })`,
			`{"site":"https://a.example","x":["y()"]}`},
		"from a returned object": {JavaScript, "module.exports = function (c) {\n c.add('}');\n return { dir: " +
			"{ input: 'src' } };\n};", `{"dir":{"input":"src"}}`},
		"with functions as code": {JavaScript, "export default { p: ({page}) => { return `/${page.x}/`; }, q: " +
			"1, m(a) { return {z: 1} }, ...rest, s }", "{\"...\":\"...rest\",\"m\":\"m(a) { return {z: 1} " +
			"}\",\"p\":\"({page}) =\\u003e { return `/${page.x}/`; }\",\"q\":1,\"s\":\"s\"}"},
		"without expressions": {JavaScript, "export default { a: 'b' + c, d: -1 }", `{"a":"'b' + c","d":-1}`},
		"from Python": {Python, "import os\nA = 'b' # c\nB = (\"x\", u'y',)\nC = {'k': r'v', 'l': " +
			"None}\nD = os.x('=')\nE = True\nF = '''a\nb'''\n",
			`{"A":"b","B":["x","y"],"C":{"k":"v","l":""},"D":"os.x('=')","E":true,"F":"a\nb"}`},
		"nothing from other texts": {JavaScript, "console.log({a: 1})", `null`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(c.read(c.source))
			if err != nil || string(got) != c.want {
				t.Errorf("%s, want %s (%v)", got, c.want, err)
			}
		})
	}
}

// Reading the rest again for each part would exceed the time limit of the test.
func TestLiteralsAreReadInLinearTime(t *testing.T) {
	for _, part := range []string{"{a:", "[", "`${", "'", "/*", "return {", "a:{b:1 x,"} {
		if got := JavaScript("export default {" + strings.Repeat(part, 100_000)); got == nil {
			t.Errorf("nothing is read of %s", part)
		}
		if got := Python("A = " + strings.Repeat(part, 100_000) + strings.Repeat("\nB = [", 10_000)); len(got) == 0 {
			t.Errorf("nothing is read of %s in Python", part)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	f.Add("export default { a: `x${y}`, b() { return 1 }, 'c': [1, {d: -2}] }")
	f.Add("A = (\"x\", {'y': None})\nB = '''z'''")
	f.Fuzz(func(t *testing.T, source string) {
		JavaScript(source)
		Python(source)
	})
}
