package query_test

import (
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// TestFunctions compares functions with the reference of the query language; "" is undefined.
func TestFunctions(t *testing.T) {
	item, err := value.Parse(`{"s":"Héllo 😀","list":[1,2,2,"a",{"k":1,"v":2}],"o":{"a":1,"b":[2]},"n":3.7}`)
	if err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]string{
		"[IS_INTEGER(3), IS_INTEGER(3.5), IS_INTEGER(1e300), IS_INTEGER('3'), IS_FINITE_NUMBER(1), " +
			"IS_PRIMITIVE([])]": "[true,false,true,false,true,false]",
		"IIF(true, 1, 2)":                    "1",
		"IIF('true', 1, 2)":                  "2",
		"CHOOSE(2, 'a', 'b')":                `"b"`,
		"CHOOSE(3, 'a', 'b')":                "",
		"ToString(1.5) || ToString([1,'x'])": `"1.5[1,\"x\"]"`,
		"ToString('x')":                      `"x"`,
		"ToString(undefined)":                "",
		"StringToNumber(' 1.50 ')":           "1.5",
		"StringToNumber('1x')":               "",
		"StringToBoolean('true')":            "true",
		"StringToBoolean('1')":               "",
		"StringToNull('null')":               "null",
		"StringToArray('[1, {\"a\": 2}]')":   `[1,{"a":2}]`,
		"StringToArray('{}')":                "",
		"StringToObject('{\"a\":1}').a":      "1",

		"LENGTH(c.s)":                                  "8",
		"SUBSTRING(c.s, 1, 4)":                         `"éllo"`,
		"SUBSTRING('abc', -1, 2)":                      `"ab"`,
		"SUBSTRING('abc', 2, 100)":                     `"c"`,
		"SUBSTRING('abc', 5, 1)":                       `""`,
		"SUBSTRING('abc', 0, 9223372036854775807)":     `"abc"`,
		"SUBSTRING('abc', 1.5, 1)":                     "",
		"LEFT('abc', 2) || RIGHT('abc', 2)":            `"abbc"`,
		"LEFT(c.s, 2)":                                 `"Hé"`,
		"RIGHT('abc', 9)":                              `"abc"`,
		"LEFT('abc', -1)":                              `""`,
		"REVERSE('abc')":                               `"cba"`,
		"INDEX_OF('abcabc', 'c')":                      "2",
		"INDEX_OF('abcabc', 'c', 3)":                   "5",
		"INDEX_OF('abc', 'x')":                         "-1",
		"INDEX_OF(c.s, 'o')":                           "4",
		"REPLACE('aXbX', 'X', '--')":                   `"a--b--"`,
		"REPLACE('abc', '', 'x')":                      "",
		"REPLICATE('ab', 3)":                           `"ababab"`,
		"REPLICATE('ab', 5001)":                        "",
		"TRIM('  a ') || LTRIM('  a') || RTRIM('a  ')": `"aaa"`,
		"TRIM('xxaxx', 'x')":                           `"a"`,
		"LTRIM('xxaxx', 'x')":                          `"axx"`,
		"RTRIM('xxaxx', 'x')":                          `"xxa"`,
		"StringJoin(['a', 'b'], '-')":                  `"a-b"`,
		"StringJoin(['a', 1], '-')":                    "",
		"StringSplit('a-b-', '-')":                     `["a","b",""]`,
		"RegexMatch('abcd', 'ABC')":                    "false",
		"RegexMatch('abcd', 'ABC', 'i')":               "true",
		"RegexMatch('abcd', 'a b c # comment', 'x')":   "true",
		"RegexMatch('abcd', '(')":                      "",
		"RegexMatch('abcd', 'a', 'q')":                 "",
		"RegexMatch(1, 'a')":                           "",
		"STRINGEQUALS('A', 'a', true)":                 "true",

		"[ABS(-1), SIGN(-5), SIGN(0), SQRT(9), SQUARE(3), POWER(2, 10), EXP(0), LOG10(100), " +
			"TRUNC(-3.7)]": "[1,-1,0,3,9,1024,1,2,-3]",
		"ROUND(2.5)":                          "3",
		"ROUND(-2.5)":                         "-3",
		"ROUND(3.14159, 2)":                   "3.14",
		"ROUND(1234, -2)":                     "1200",
		"LOG(8, 2)":                           "3",
		"SQRT(-1)":                            "",
		"LOG(0)":                              "",
		"PI()":                                "3.141592653589793",
		"NumberBin(17, 5)":                    "15",
		"NumberBin(-3.2)":                     "-4",
		"NumberBin(1, 0)":                     "",
		"ATN2(1, 0)":                          "1.5707963267948966", // y, then x
		"ATN2(0, 1)":                          "0",
		"TAN(PI()/2)":                         "1.633123935319537e+16",
		"COS(PI()/2) = 6.123233995736766e-17": "true",
		"SIN(PI()) = 1.2246467991473532e-16":  "true",
		"COT(PI()/2) = 6.123233995736766e-17": "true",
		"[SIN(0), SIN(-1), COS(4), TAN(-4)]":  "[0,-0.8414709848078965,-0.6536436208636119,-1.1578212823495775]",
		"RAND() < 1":                          "true",
		"IntAdd(9223372036854775807, 1)":      "-9223372036854775808",
		"[IntSub(1, 2), IntMul(3, 4), IntDiv(7, 2), IntMod(7, 2), IntBitAnd(6, 3), IntBitOr(6, 3), IntBitXor(6, " +
			"3), IntBitNot(0)]": "[-1,12,3,1,2,7,5,-1]",
		"[IntBitLeftShift(1, 4), IntBitRightShift(-16, 2)]": "[16,-4]",
		"IntDiv(1, 0)":   "",
		"IntAdd(1.5, 1)": "",

		"ARRAY_LENGTH(c.list)":                         "5",
		"ARRAY_SLICE(c.list, 1)":                       `[2,2,"a",{"k":1,"v":2}]`,
		"ARRAY_SLICE(c.list, -2, 1)":                   `["a"]`,
		"ARRAY_SLICE(c.list, 9)":                       "[]",
		"ARRAY_SLICE(c.list, 0, -1)":                   "[]",
		"ARRAY_SLICE(c.list, -9223372036854775807, 1)": "[1]",
		"ARRAY_CONCAT([1], [2, 3], [])":                "[1,2,3]",
		"ARRAY_CONCAT([1], 2)":                         "",
		"ARRAY_CONTAINS(c.list, {'k': 1}, true)":       "true",
		"ARRAY_CONTAINS(c.list, {'k': 1})":             "false",
		"ARRAY_CONTAINS_ANY(c.list, 9, 'a')":           "true",
		"ARRAY_CONTAINS_ALL(c.list, 2, 'a')":           "true",
		"ARRAY_CONTAINS_ALL(c.list, 2, 'b')":           "false",
		"SetIntersect(c.list, [2, 1, 2])":              "[1,2]",
		"SetUnion([1, 1], [2])":                        "[1,2]",
		"SetDifference([1, 2, 3], [2])":                "[1,3]",
		"SetEqual([1, 2, 2], [2, 1])":                  "true",
		"ObjectToArray(c.o)":                           `[{"k":"a","v":1},{"k":"b","v":[2]}]`,
		"ObjectToArray(c.o, 'name', 'value')[0].name":  `"a"`,

		"DateTimeAdd('mm', 1, " +
			"'2020-01-31T10:20:30.1234567Z')": `"2020-02-29T10:20:30.1234567Z"`,
		"DateTimeAdd('yyyy', -1, " +
			"'2020-02-29')": `"2019-02-28T00:00:00.0000000Z"`,
		"DateTimeAdd('hour', 25, " +
			"'2020-01-01T00:00:00Z')": `"2020-01-02T01:00:00.0000000Z"`,
		"DateTimeAdd('ms', -1, " +
			"'2020-01-01T00:00:00Z')": `"2019-12-31T23:59:59.9990000Z"`,
		"DateTimeAdd('ns', 250, " +
			"'2020-01-01T00:00:00Z')": `"2020-01-01T00:00:00.0000002Z"`,
		"DateTimeAdd('dd', 9223372036854775807, '2020-01-01')":                       "",
		"DateTimeAdd('mm', -9223372036854775807 - 1, '2020-01-01')":                  "",
		"DateTimeAdd('fortnight', 1, '2020-01-01')":                                  "",
		"DateTimeDiff('yyyy', '2019-12-31T23:59:59Z', '2020-01-01T00:00:00Z')":       "1",
		"DateTimeDiff('month', '2020-03-01', '2020-01-31')":                          "-2",
		"DateTimeDiff('dd', '2018-01-01T01:02:03.1234567Z', '2019-01-01T00:00:00Z')": "365",
		"DateTimeDiff('ss', '1969-12-31T23:59:58.5Z', '1970-01-01T00:00:01Z')":       "3",
		"DateTimeDiff('ms', '2020-01-01T00:00:00.999Z', '2020-01-01T00:00:01Z')":     "1",
		"DateTimePart('mcs', '2020-01-02T03:04:05.6789123Z')":                        "678912",
		"[DateTimePart('yyyy', @d), DateTimePart('m', @d), DateTimePart('hh', @d), DateTimePart('n', " +
			"@d)]": "[2020,1,3,4]",
		"DateTimeBin(@d, 'hh')": `"2020-01-02T03:00:00.0000000Z"`,
		"DateTimeBin(@d, 'day', 7, " +
			"'2020-01-01')": `"2020-01-01T00:00:00.0000000Z"`,
		"DateTimeBin('1969-12-31T23:59:59Z', 'mi', 5)": `"1969-12-31T23:55:00.0000000Z"`,
		"DateTimeBin(@d, 'hh', 0)":                     "",
		"DateTimeFromParts(2020, 9, 4, 10, 52, 12, " +
			"3456789)": `"2020-09-04T10:52:12.3456789Z"`,
		"DateTimeFromParts(2020, 2, 30)":                  "",
		"DateTimeToTicks('1970-01-01T00:00:01.0000001Z')": "10000001",
		"DateTimeToTimestamp('1970-01-01T00:00:01.5Z')":   "1500",
		"TicksToDateTime(10000001)":                       `"1970-01-01T00:00:01.0000001Z"`,
		"TimestampToDateTime(-1)":                         `"1969-12-31T23:59:59.9990000Z"`,
		"TimestampToDateTime(9223372036854775807)":        "",
		"DateTimeToTicks('yesterday')":                    "",
		"LENGTH(GetCurrentDateTime())":                    "28",
		"GetCurrentTicks() > GetCurrentTimestamp() AND " +
			"GetCurrentTimestamp() > 1600000000000": "true",
	} {
		stmt, err := query.Parse("SELECT VALUE " + expression + " FROM c")
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		got := ""
		if v := query.Eval(stmt.Items[0].Expr, item,
			query.Params{"@d": value.OfString("2020-01-02T03:04:05.6789123Z")}); v.Defined() {
			got = v.JSON()
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}
