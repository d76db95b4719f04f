import Foundation
import Testing

@testable import CoreBluetoothCommand

@Suite("The device that a person means")
struct DeviceQueryTests {
    @Test("has the name, the identifier, or its first four characters or more")
    func wanted() {
        let identifier = UUID(uuidString: "A3A7496F-261F-4BC3-BBB0-055FA5EF31CF") ?? UUID()
        func matches(_ text: String) -> Bool { DeviceQuery(text).matches(name: "Crystal", identifier: identifier) }
        #expect(matches("Crystal"))
        #expect(matches("crystal"))
        #expect(!matches("Cryst"))
        #expect(matches("a3a7496f-261f-4bc3-bbb0-055fa5ef31cf"))
        #expect(matches("A3A7"))
        #expect(matches("a3a7496f-2"))
        #expect(!matches("A3A"))
        #expect(!matches("B3A7") && !matches("A3A7G") && !matches(""))
        // A name may look like the beginning of an identifier.
        #expect(DeviceQuery("BEEF").matches(name: "beef", identifier: identifier))
    }

    @Test("C2: has the whole of a name that its advertisement shortened")
    func shortenedName() {
        #expect(DeviceQuery("Crystal 🔮").matches(name: "Crystal", identifier: UUID()))
        #expect(!DeviceQuery("Crystal 🔮").matches(name: "Cryst", identifier: UUID()))
        #expect(!DeviceQuery("Onyx").matches(name: "Crystal", identifier: UUID()))
    }
}
