// The adapter of a process by its name: a name that is none is refused, and selects nothing.

import Testing

@testable import CoreBluetooth

@Suite("Selecting an adapter by name")
struct AdapterSelectionTests {
    @Test(
        "A name that is none is refused with the reason, for the process as for one adapter",
        arguments: [
            ("", "the name of an adapter is empty: use "), ("nothing", "\"nothing\" names no adapter: use "),
            ("air:", "\"air:\" lacks the place of the air: "), ("h4:x", "\"h4:x\" does not say what carries H4: "),
        ]
    )
    func names(name: String, reason: String) {
        let selected = #expect(throws: BluetoothAdapterError.self) {
            try BluetoothAdapter.select(name, configuration: BluetoothAdapter.Configuration())
        }
        #expect(selected?.description.hasPrefix(reason) == true)
        let made = #expect(throws: BluetoothAdapterError.self) {
            _ = try BluetoothAdapter(name, configuration: BluetoothAdapter.Configuration())
        }
        #expect(made?.description == selected?.description)
    }
}
