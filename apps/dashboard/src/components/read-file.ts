import { InputError } from '../api/input-error';

/** @throws InputError if the browser cannot read the file, for example because it changed after it was chosen */
export const readFile = (file: File): Promise<string> =>
  file.text().catch(() => {
    throw new InputError('The file cannot be read. Choose it again.');
  });
