// The table of chips on the page "Which adapter string" and the models: each model has a row, and each row a model.

import BluetoothAir
import Testing

@Suite("The table of chips")
struct ChipsTests {
    @Test("has a row for each model, in the order of the presets")
    func rows() throws {
        let page = try Page.text("Sources/CoreBluetooth/CoreBluetooth.docc/WhichAdapter.md")
        let table = try #require(page.split(separator: "| chip |").last)
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| works") }
        let names = rows.map { $0.dropFirst(2).prefix { $0 != "|" }.dropLast() }
        #expect(names.map(String.init) == ControllerModel.presets.map(\.name))
    }
}
