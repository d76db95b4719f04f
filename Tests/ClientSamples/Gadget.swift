// What all the sample clients talk about: a gadget with a status to read, commands to write and events to be notified.

import CoreBluetooth

/// The gadget's service, as every client names it.
package enum Gadget {
    package static let service = CBUUID(string: "D973F2E0-B19E-11E2-9E96-0800200C9A66")
    package static let status = CBUUID(string: "D973F2E1-B19E-11E2-9E96-0800200C9A66")
    package static let command = CBUUID(string: "D973F2E2-B19E-11E2-9E96-0800200C9A66")
    package static let event = CBUUID(string: "D973F2E3-B19E-11E2-9E96-0800200C9A66")
}
