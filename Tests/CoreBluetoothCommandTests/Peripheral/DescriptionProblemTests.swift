import CommandLineTool
import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The place of an error in a description")
struct DescriptionProblemTests {
    private func failure(_ json: String) -> String? {
        do {
            _ = try GATTDescription(json: Data(json.utf8), from: "t.json")
            return nil
        } catch {
            return (error as? Failure)?.line
        }
    }

    @Test(
        "comes with what belongs at the place where something else stands, and the nearest name",
        arguments: [
            (#""properties": "notify""#, #"properties: a list in brackets belongs here, such as ["read", "notify"]"#),
            (
                #""properties": ["notfy"]"#,
                "properties[0]: \"notfy\" is none of \(GATTDescription.Property.allCases.map(\.rawValue).joined(separator: ", "))"
                    + "; did you mean \"notify\"?"
            ),
            (
                #""properties": ["read"], "value": 5"#,
                #"value: an object in braces belongs here, such as { "uint8": 1 }"#
            ),
            (#""properties": ["read"], "description": 5"#, "description: a text in quotation marks belongs here"),
            (#""properties": ["read"], "delay": "5""#, "delay: a number belongs here"),
            (#""properties": ["read"], "vlaue": 5"#, "did you mean \"value\"?"),
            (
                #""properties": ["read"] } ] }, { "uuid": "Presure", "characteristics": [ { "uuid": "FFF2""#,
                "services[1].uuid: \"Presure\" is no UUID and no assigned name; did you mean \"Pressure\"?"
            ),
        ]
    )
    func expectations(part: String, text: String) throws {
        let json = #"{ "services": [ { "uuid": "FFF0", "characteristics": [ { "uuid": "FFF1", "# + part + " } ] } ] }"
        let line = try #require(failure(json))
        #expect(line.contains(text), "\(line)")
    }

    @Test("is found behind any value, and where the text ends early")
    func places() {
        let json = #"{"a":[1,true ,"x\"]}",null],"b":-1.5e3,"c": {"d":false,"e":[[],{}, {"f":0}]},"g":1}"#
        let places = JSONPlaces(Data(json.utf8))
        func text(_ place: String) -> String? {
            places.offset(of: place).map { String(json.dropFirst($0).prefix(4)) }
        }
        #expect(["a", "b", "c", "g"].map(text) == ["\"a\":", "\"b\":", "\"c\":", "\"g\":"])
        #expect(["a[0]", "a[1]", "a[2]", "a[3]"].map(text) == ["1,tr", "true", "\"x\\\"", "null"])
        #expect(
            ["c.d", "c.e", "c.e[0]", "c.e[1]", "c.e[2]"].map(text) == ["\"d\":", "\"e\":", "[],{", "{}, ", "{\"f\""]
        )
        #expect(text("c.e[2].f") == "\"f\":")
        // A missing part is in the part around it.
        #expect(text("c.e[3].x") == "\"e\":" && text("c.x") == "\"c\":" && text("x") == nil && text("") == nil)
        for count in 0...json.utf8.count {
            let cut = JSONPlaces(Data(json.utf8.prefix(count)))
            #expect(cut.offset(of: "a") == (count > 2 ? 1 : nil), "\(count)")
        }
    }

    @Test(
        "has the line and the column of its key, or of its element",
        arguments: [
            ("{\n  \"name\": \"A\",\n  \"services\": [\n    { \"uuid\": \"nothing\" } ] }", "line 4, column 7"),
            ("{\n  \"name\": \"A\",\n  \"services\": [\n    { \"id\": \"FFF0\" } ] }", "line 4, column 7"),
            ("{\n  \"services\": [ {\"uuid\": \"FFF0\"},\n {} ] }", "line 3, column 2"),
            (
                "{ \"services\": [ { \"uuid\": \"FFF0\", \"characteristics\": [\n{ \"uuid\": \"FFF1\",\n"
                    + "\"properties\": [\"é\", \"raed\"] } ] } ] }",
                "line 3, column 16"
            ),
            (
                "{ \"services\": [ { \"uuid\": \"FFF0\", \"includes\":\n [ \"180F\" ] } ] }", "line 2, column 4"
            ),
            ("{\n\"services\": [],\n\"name\": \"a\\\"}\",\n \"x\": 1 }", "line 4, column 2"),
        ]
    )
    func columns(json: String, place: String) throws {
        let line = try #require(failure(json))
        #expect(line.hasSuffix(" (\(place)); corebluetooth advertise --help has an example"), "\(line)")
    }
}
