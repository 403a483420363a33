"""Token Grove as an installed package: the command ``token-grove`` (command.py), and the folder ``app``.

The app's folders lie in there as they do in the repository, so that its library ``tokenizers`` never hides
Hugging Face's package of that name, which the app uses, too.
"""
