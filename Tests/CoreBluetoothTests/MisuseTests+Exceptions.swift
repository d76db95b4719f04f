// What Apple answers with an exception ends the program here, with the same words.

import NIOCore
import Testbed
import Testing

@testable import CoreBluetooth

extension MisuseTests {
    private func said(_ result: ExitTest.Result?, _ text: String) -> Bool {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).contains(text)
    }

    @Test("2 what Apple answers with an exception ends the program, with Apple's words")
    func fatalWords() async {
        let cached = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let testbed = Testbed()
            let app = PeripheralApp(on: testbed.adapter("One"))
            testbed.run()
            let service = CBMutableService(type: IDs.other, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(type: IDs.other, properties: .read, value: Data([1]), permissions: .writeable)
            ]
            app.manager.add(service)
        }
        #expect(self.said(cached, "[CoreBluetooth] Characteristics with cached values must be read-only"))

        let configuration = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let talk = Conversation()
            let (peripheral, _, answer) = try talk.discover()
            peripheral.discoverDescriptors(for: answer)
            talk.testbed.run { answer.descriptors != nil }
            if let configuration = answer.descriptors?.first(where: { $0.uuid == CBUUID(string: "2902") }) {
                peripheral.writeValue(Data([1, 0]), for: configuration)
            }
        }
        #expect(
            self.said(
                configuration,
                """
                [CoreBluetooth] Client Characteristic Configuration descriptors must be configured using \
                setNotifyValue:forCharacteristic:
                """
            )
        )

        let format = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2904"), value: "text")
        }
        #expect(self.said(format, "[CoreBluetooth] Expecting NSData value type for Format descriptor"))

        let text = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(string: "not a UUID")
        }
        #expect(self.said(text, "[CoreBluetooth] String not a UUID does not represent a valid UUID"))

        let octets = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CBUUID(data: Data([1, 2, 3]))
        }
        #expect(self.said(octets, "[CoreBluetooth] Data <010203> does not represent a valid UUID"))
    }

    @Test("9.4 2 descriptors that the system makes, and unknown ones, cannot be made by an app")
    func otherDescriptors() async {
        await #expect(processExitsWith: .failure) { _ = CBMutableDescriptor(type: CBUUID(string: "2900"), value: nil) }
        await #expect(processExitsWith: .failure) { _ = CBMutableDescriptor(type: CBUUID(string: "2908"), value: nil) }
        await #expect(processExitsWith: .failure) {
            _ = CBMutableDescriptor(type: CBUUID(string: "2901"), value: Data([1]))
        }
    }

    @Test("2 what Apple answers with an exception ends the program")
    func fatal() async {
        await #expect(processExitsWith: .failure) {
            let testbed = Testbed()
            let app = PeripheralApp(on: testbed.adapter("One"))
            testbed.run()
            let service = CBMutableService(type: IDs.other, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: IDs.other,
                    properties: [.read, .notify],
                    value: Data([1]),
                    permissions: .readable
                )
            ]
            app.manager.add(service)
        }
        await #expect(processExitsWith: .failure) {
            let talk = Conversation()
            let (peripheral, _, answer) = try talk.discover()
            peripheral.discoverDescriptors(for: answer)
            talk.testbed.run { answer.descriptors != nil }
            if let configuration = answer.descriptors?.first(where: { $0.uuid == CBUUID(string: "2902") }) {
                peripheral.writeValue(Data([1, 0]), for: configuration)
            }
        }
    }
}
